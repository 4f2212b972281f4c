import type { ReactNode } from "react";
import { dotted } from "../json/path";
import { type Field, fieldOf } from "./field";
import { boundsOf, titleOf } from "./hints";
import { itemOf, type Schema, textOf } from "./keywords";
import { Note } from "./Note";
import { typeName } from "./names";
import { ProblemList } from "./ProblemList";
import { idOf, type Place, problemsAt, type Scope, useScope } from "./scope";

/** What a control needs so that it is announced with its label, description and problems. */
export interface Spoken {
  id: string;
  disabled: boolean;
  "aria-label"?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
  "aria-required"?: true;
}

/** The attributes of a field's own control. */
export function spokenOf(scope: Scope, place: Place, inside = false): Spoken {
  const problems = problemsAt(scope, place.path, inside);
  const notes = [
    idOf(scope, place.path, "#note"),
    ...(problems.length > 0 ? [idOf(scope, place.path, "#problem")] : []),
  ];
  return {
    id: idOf(scope, place.path, "#control"),
    disabled: scope.disabled,
    ...(place.spoken === undefined ? {} : { "aria-label": place.spoken }),
    "aria-describedby": notes.join(" "),
    ...(problems.length > 0 ? { "aria-invalid": true } : {}),
    ...(place.required && place.slot === "property" ? { "aria-required": true } : {}),
  };
}

interface FrameProps {
  place: Place;
  field: Field;
  /** Whether the body is one control, which the label belongs to, or several. */
  single: boolean;
  /** Whether the body holds further fields. */
  nested?: boolean;
  /** Whether problems inside the value are told here, because the inside is not drawn. */
  closed?: boolean;
  /** Picks the variant of a union. */
  pick?: ReactNode;

  /** A word on how it stands: "unset", "2 items". */
  state?: string;
  fold?: { open: boolean; toggle: () => void };
  buttons?: ReactNode;
  children?: ReactNode;
}

/** A field with its label, type, buttons, description and problems. */
export function Frame({ place, field, single, nested, closed, pick, state, fold, buttons, children }: FrameProps) {
  const scope = useScope();
  const { path, slot } = place;
  const problems = problemsAt(scope, path, closed);
  const name = String(path.at(-1) ?? "");
  const kind = pick === undefined ? typeName(field, scope.root, name) : "";
  const about = [
    ...(slot === "item" ? [] : [kind, ...boundsOf(field.schema), ...eachBounds(field, scope.root)]),
    state ?? "",
  ].filter((text) => text !== "");
  const labelId = idOf(scope, path, "#label");
  const bare = slot === "root" && nested === true && pick === undefined && (state ?? "") === "";
  const title = nested === true || pick !== undefined ? "" : titleOf(field.schema, name);
  const note =
    bare || slot === "item" ? "" : [title, textOf(field.schema.description)].filter((text) => text !== "").join(". ");

  return (
    <div
      id={idOf(scope, path)}
      data-path={JSON.stringify(path)}
      data-closed={closed === true}
      className={`sf-field sf-${slot} ${nested === true ? "sf-several" : "sf-single"} ${problems.length > 0 ? "sf-wrong" : ""}`}
      {...(nested === true && slot !== "root" ? { role: "group", "aria-label": place.spoken ?? name } : {})}
    >
      {bare ? null : (
        <div className="sf-head">
          {fold === undefined ? null : (
            <button
              type="button"
              className="sf-fold"
              aria-expanded={fold.open}
              aria-label={`${fold.open ? "Fold" : "Unfold"} ${place.spoken ?? name}`}
              onClick={fold.toggle}
            />
          )}
          {typeof place.label !== "string" || place.label === "" ? (
            place.label
          ) : single ? (
            <label id={labelId} className="sf-label" htmlFor={idOf(scope, path, "#control")}>
              {place.label}
            </label>
          ) : (
            <span id={labelId} className="sf-label">
              {place.label}
            </span>
          )}
          {place.required && slot === "property" ? (
            <span className="sf-required" title="required">
              *
            </span>
          ) : null}
          {pick}
          <span className="sf-type">{about.join(" · ")}</span>
        </div>
      )}
      {children === undefined || children === null ? null : <div className="sf-body">{children}</div>}
      <div className="sf-tools">
        {buttons}
        {place.tools}
      </div>
      <div className="sf-notes">
        <Note id={idOf(scope, path, "#note")} text={note} />
        <ProblemList id={idOf(scope, path, "#problem")} problems={problems} at={dotted(path)} />
      </div>
    </div>
  );
}

/** What holds for every item of a list. */
function eachBounds(field: Field, root: Schema): string[] {
  const item = field.kind === "list" ? itemOf(field.schema, 0) : null;
  return item === null ? [] : boundsOf(fieldOf(item, root).schema).map((words) => `each ${words}`);
}
