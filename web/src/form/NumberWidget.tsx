import type { ReactNode } from "react";
import { isNumber, readNumber, textOf } from "../json/lossless";
import { pointer, valueAt } from "../json/path";
import { withText, withValue } from "./draft";
import { Frame, spokenOf } from "./Frame";
import type { Field } from "./field";
import { unsetText } from "./hints";
import { clearButton, nullButton } from "./parts";
import { type Place, useScope } from "./scope";

interface NumberProps {
  place: Place;
  field: Field;
  kind: Field;
  pick: ReactNode;
}

/** A number, kept as it is typed: 5.0 stays 5.0, and what is no number stays to be mended. */
export function NumberWidget({ place, field, kind, pick }: NumberProps) {
  const scope = useScope();
  const { path, slot } = place;
  const stated = valueAt(scope.draft.value, path);
  const typed = scope.draft.texts[pointer(path)];
  const text = typed ?? (isNumber(stated) ? textOf(stated) : "");
  const isNull = stated === null && typed === undefined;

  function set(next: string): void {
    const number = readNumber(next.trim());
    if (number !== null) {
      scope.edit((draft) => withValue(draft, path, number, place.order));
    } else if (next.trim() === "" && slot !== "item") {
      scope.edit((draft) => withValue(draft, path, undefined));
    } else {
      scope.edit((draft) => withText(draft, path, next, undefined, place.order));
    }
  }

  const unset = place.required && field.schema.default === undefined ? "" : unsetText(field.schema);
  return (
    <Frame
      place={place}
      field={field}
      pick={pick}
      single
      buttons={
        <>
          {kind.nullable ? nullButton(scope, place, stated) : null}
          {stated !== undefined && slot === "property" && !place.required ? clearButton(scope, place, true) : null}
        </>
      }
    >
      <input
        {...spokenOf(scope, place)}
        className={`sf-input sf-data ${isNull ? "sf-null" : ""}`}
        type="text"
        inputMode={kind.kind === "integer" ? "numeric" : "decimal"}
        value={text}
        placeholder={isNull ? "null" : slot === "item" ? "" : unset}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !(event.ctrlKey || event.metaKey)) {
            event.preventDefault();
          }
        }}
      />
    </Frame>
  );
}
