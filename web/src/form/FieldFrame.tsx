import type { ReactNode } from "react";
import { formatPath } from "../json/path";
import { FieldDescription } from "./FieldDescription";
import { type Field, readField } from "./field";
import { buildId, type FieldPosition, type FormContextValue, listProblemsAt, useFormContext } from "./formContext";
import { describeBounds, findDistinctTitle } from "./hints";
import { isObject, readExtraSchema, readItemSchema, type Schema, toSchemas, toText } from "./keywords";
import { ProblemList } from "./ProblemList";
import { describeType } from "./typeNames";

/** The attributes that connect a control with its label, description and problems. */
export interface ControlProps {
  id: string;
  disabled: boolean;
  "aria-label"?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
  "aria-required"?: true;
}

/** The attributes of a field's own control. */
export function buildControlProps(
  context: FormContextValue,
  position: FieldPosition,
  includeNested = false,
): ControlProps {
  const problems = listProblemsAt(context, position.path, includeNested);
  const notes = [
    buildId(context, position.path, "#note"),
    ...(problems.length > 0 ? [buildId(context, position.path, "#problem")] : []),
  ];
  return {
    id: buildId(context, position.path, "#control"),
    disabled: context.disabled,
    ...(position.accessibleName === undefined ? {} : { "aria-label": position.accessibleName }),
    "aria-describedby": notes.join(" "),
    ...(problems.length > 0 ? { "aria-invalid": true } : {}),
    ...(position.required && position.slot === "property" ? { "aria-required": true } : {}),
  };
}

interface FieldFrameProps {
  position: FieldPosition;
  field: Field;
  /** Whether the body is one control, which the label belongs to, or several. */
  hasSingleControl: boolean;
  /** Whether the body holds further fields. */
  isNested?: boolean;
  /** Whether nested problems are shown here, because the nested fields are not rendered. */
  isClosed?: boolean;
  /** Picks the variant of a union. */
  variantPicker?: ReactNode;

  /** A summary such as "unset" or "2 items". */
  status?: string;
  folding?: { open: boolean; toggle: () => void };
  buttons?: ReactNode;
  children?: ReactNode;
}

/** A field with its label, type, buttons, description and problems. */
export function FieldFrame({
  position,
  field,
  hasSingleControl,
  isNested,
  isClosed,
  variantPicker,
  status,
  folding,
  buttons,
  children,
}: FieldFrameProps) {
  const context = useFormContext();
  const { path, slot } = position;
  const problems = listProblemsAt(context, path, isClosed);
  const name = String(path.at(-1) ?? "");
  const kind = variantPicker === undefined ? describeType(field, context.rootSchema, name) : "";
  const about = [
    ...(slot === "item"
      ? []
      : [kind, ...describeBounds(field.schema), ...describeItemBounds(field, context.rootSchema)]),
    status ?? "",
  ].filter((text) => text !== "");
  const labelId = buildId(context, path, "#label");
  const isBare = slot === "root" && isNested === true && variantPicker === undefined && (status ?? "") === "";
  const title = isNested === true || variantPicker !== undefined ? "" : findDistinctTitle(field.schema, name);
  const description = toText(field.schema.description);
  const ownNotes = isBare ? [] : slot !== "item" ? [title, description] : position.isTupleItem ? [description] : [];
  const note = [...ownNotes, describeParts(field.schema, context.rootSchema)].filter((text) => text !== "").join(". ");

  return (
    <div
      id={buildId(context, path)}
      data-path={JSON.stringify(path)}
      data-closed={isClosed === true}
      className={`sf-field sf-${slot} ${isNested === true ? "sf-several" : "sf-single"} ${problems.length > 0 ? "sf-wrong" : ""}`}
      {...(isNested === true && slot !== "root"
        ? { role: "group", "aria-label": position.accessibleName ?? name }
        : {})}
    >
      {isBare ? null : (
        <div className="sf-head">
          {folding === undefined ? null : (
            <button
              type="button"
              className="sf-fold"
              aria-expanded={folding.open}
              aria-label={`${folding.open ? "Collapse" : "Expand"} ${position.accessibleName ?? name}`}
              onClick={folding.toggle}
            />
          )}
          {typeof position.label !== "string" || position.label === "" ? (
            position.label
          ) : hasSingleControl ? (
            <label id={labelId} className="sf-label" htmlFor={buildId(context, path, "#control")}>
              {position.label}
            </label>
          ) : (
            <span id={labelId} className="sf-label">
              {position.label}
            </span>
          )}
          {position.required && slot === "property" ? (
            <span className="sf-required" title="required">
              *
            </span>
          ) : null}
          {variantPicker}
          <span className="sf-type">{about.join(" · ")}</span>
        </div>
      )}
      {children === undefined || children === null ? null : <div className="sf-body">{children}</div>}
      <div className="sf-tools">
        {buttons}
        {position.actions}
      </div>
      <div className="sf-notes">
        <FieldDescription id={buildId(context, path, "#note")} text={note} />
        <ProblemList id={buildId(context, path, "#problem")} problems={problems} at={formatPath(path)} />
      </div>
    </div>
  );
}

/** The description that the items of a list, or the values of a map, share: shown once, above them. */
function describeParts(schema: Schema, root: Schema): string {
  const [words, part] = isObject(schema.items)
    ? [toSchemas(schema.prefixItems).length > 0 ? "Each further item" : "Each item", schema.items]
    : ["Each value", readExtraSchema(schema) ?? {}];
  const description = toText(readField(part, root).schema.description);
  return description === "" ? "" : `${words}: ${description}`;
}

/** The bounds of every item of a list. */
function describeItemBounds(field: Field, root: Schema): string[] {
  const item = field.kind === "list" ? readItemSchema(field.schema, 0) : null;
  return item === null ? [] : describeBounds(readField(item, root).schema).map((words) => `each ${words}`);
}
