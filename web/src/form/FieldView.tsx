import { getValueAt, toPointer } from "../json/path";
import { ChoiceWidget } from "./ChoiceWidget";
import { withInitialValue } from "./draft";
import { FieldFrame } from "./FieldFrame";
import { type Field, readField } from "./field";
import { FieldButton, getAccessibleName, renderClearButton, renderJsonButton, renderNullButton } from "./fieldButtons";
import { buildId, type FieldPosition, useFormContext } from "./formContext";
import { describeUnset } from "./hints";
import { createInitialValue } from "./initialValue";
import { JsonField } from "./JsonField";
import { readProperties, type Schema } from "./keywords";
import { ListFields } from "./ListFields";
import { NumberWidget } from "./NumberWidget";
import { ObjectFields } from "./ObjectFields";
import { TextWidget } from "./TextWidget";
import { findPickedVariant, needsVariant, VariantPicker } from "./VariantPicker";
import { isOfKind } from "./variant";

const MAX_DEPTH = 12;
const MAX_PARTS = 200;
const OPEN_LEVELS = 6;
const COMPOUND_KINDS = ["object", "list", "tuple"];

/** One field of any kind. */
export function FieldView({ schema, position }: { schema: Schema; position: FieldPosition }) {
  const context = useFormContext();
  const { rootSchema, draft } = context;
  const { path } = position;
  const declared = readField(schema, rootSchema);
  const value = getValueAt(draft.value, path);
  const typed = draft.texts[toPointer(path)];
  const picked = declared.kind === "union" ? findPickedVariant(draft, path, declared, rootSchema) : null;
  const inner = picked === null ? declared : readField(declared.variants[picked] as Schema, rootSchema);
  const field: Field = { ...inner, nullable: declared.nullable || inner.nullable };
  const variantPicker =
    picked === null ? undefined : <VariantPicker position={position} field={declared} picked={picked} />;
  const about: Field = picked === null ? field : { ...declared, schema: { ...inner.schema, ...declared.schema } };

  if (needsJsonEditor(field, position.depth, value, typed)) {
    return <JsonField position={position} field={field} about={about} variantPicker={variantPicker} />;
  }
  if (COMPOUND_KINDS.includes(field.kind)) {
    const isPickedByVariant = picked !== null && needsVariant(draft, path, declared, rootSchema);
    const variant = picked === null ? schema : (declared.variants[picked] as Schema);
    return (
      <CompoundField
        position={position}
        field={field}
        about={about}
        variantPicker={variantPicker}
        isPickedByVariant={isPickedByVariant}
        schema={variant}
      />
    );
  }
  const frame = { position, field: about, variantPicker };
  switch (field.kind) {
    case "text":
      return <TextWidget {...frame} kind={field} />;
    case "integer":
    case "number":
      return <NumberWidget {...frame} kind={field} />;
    default:
      return <ChoiceWidget {...frame} kind={field} />;
  }
}

/** Whether a field is edited as JSON: by choice, or because no widget can show its value. */
function needsJsonEditor(
  field: Field,
  depth: number,
  value: ReturnType<typeof getValueAt>,
  typed: string | undefined,
): boolean {
  if (field.kind === "json" || depth > MAX_DEPTH) {
    return true;
  }
  if (COMPOUND_KINDS.includes(field.kind)) {
    const parts =
      value instanceof Map ? value.size + readProperties(field.schema).length : Array.isArray(value) ? value.length : 0;
    return typed !== undefined || parts > MAX_PARTS || (value !== undefined && !isOfKind(value, field));
  }
  if (typed !== undefined) {
    return field.kind === "integer" || field.kind === "number" ? /^\s*["[{]/.test(typed) : typed.trim() !== "";
  }
  return value !== undefined && !isOfKind(value, field);
}

interface CompoundFieldProps {
  position: FieldPosition;
  field: Field;
  about: Field;
  variantPicker: React.ReactNode;
  /** Whether picking a variant sets the value. */
  isPickedByVariant: boolean;
  schema: Schema;
}

/** An object or a list: unset, null, or with its fields below it. */
function CompoundField({ position, field, about, variantPicker, isPickedByVariant, schema }: CompoundFieldProps) {
  const context = useFormContext();
  const { path, slot } = position;
  const at = toPointer(path);
  const value = getValueAt(context.draft.value, path);
  const open = slot === "root" || (context.draft.open[at] ?? position.depth < OPEN_LEVELS);
  const isSet = value !== undefined && value !== null;

  function setValue(): void {
    context.update((draft) =>
      withInitialValue(draft, path, createInitialValue(schema, context.rootSchema, 1), position.order),
    );
    context.focusAfterRender(buildId(context, path));
  }

  function toggle(): void {
    context.update((draft) => ({ ...draft, open: { ...draft.open, [at]: !open } }));
  }

  const buttons = (
    <>
      {isSet || isPickedByVariant ? null : (
        <FieldButton label="set" accessibleName={`Set ${getAccessibleName(position)}`} onClick={setValue} />
      )}
      {field.nullable ? renderNullButton(context, position, value) : null}
      {isSet && slot !== "root" ? renderJsonButton(context, position, value) : null}
      {value !== undefined && slot === "property" && !(position.required && isSet)
        ? renderClearButton(context, position)
        : null}
    </>
  );
  const body =
    isSet && open ? (
      field.kind === "object" ? (
        <ObjectFields position={position} field={field} />
      ) : (
        <ListFields position={position} field={field} />
      )
    ) : null;
  return (
    <FieldFrame
      position={position}
      field={about}
      variantPicker={variantPicker}
      hasSingleControl={false}
      isNested
      isClosed={!open || !isSet}
      status={describeStatus(value, about.schema, open && field.kind !== "list")}
      {...(isSet && slot !== "root" ? { folding: { open, toggle } } : {})}
      buttons={buttons}
    >
      {body}
    </FieldFrame>
  );
}

/** A summary where the fields below do not show the value. */
function describeStatus(value: ReturnType<typeof getValueAt>, schema: Schema, isShown: boolean): string {
  if (value === undefined || value === null) {
    return value === null ? "null" : describeUnset(schema);
  }
  if (isShown) {
    return "";
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? "empty" : value.length === 1 ? "1 item" : `${value.length} items`;
  }
  return value instanceof Map ? `{${[...value.keys()].join(", ")}}` : "";
}
