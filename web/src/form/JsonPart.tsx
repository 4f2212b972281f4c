import type { ReactNode } from "react";
import { stringify } from "../json/lossless";
import { pointer, valueAt } from "../json/path";
import { readable, withSeed, withText, withValue } from "./draft";
import { Frame, spokenOf } from "./Frame";
import type { Field } from "./field";
import { unsetText } from "./hints";
import { Button, clearButton, nameOf } from "./parts";
import { RawJson } from "./RawJson";
import { idOf, type Place, useScope } from "./scope";
import { carried, suits } from "./variant";

interface JsonPartProps {
  place: Place;
  field: Field;
  about: Field;
  pick: ReactNode;
}

/** One part of the form as JSON: anything may stand there, or no widget can show what does. */
export function JsonPart({ place, field, about, pick }: JsonPartProps) {
  const scope = useScope();
  const { path, slot } = place;
  const value = valueAt(scope.draft.value, path);
  const typed = scope.draft.texts[pointer(path)];
  const text = typed ?? (value === undefined ? "" : stringify(value, 2));

  function set(next: string): void {
    const blank = next.trim() === "" && slot !== "item";
    scope.edit((draft) =>
      blank ? withValue(draft, path, undefined) : withText(draft, path, next, readable(next), place.order),
    );
  }

  function toForm(): void {
    const read = readable(text);
    scope.edit((draft) =>
      read !== undefined && suits(read, field)
        ? withValue(draft, path, read, place.order)
        : withSeed(draft, path, carried(read, field.schema, scope.root), place.order),
    );
    scope.focusNext(idOf(scope, path));
  }

  const read = readable(text);
  const loses = read === undefined || !suits(read, field);
  const unset =
    place.required && about.schema.default === undefined ? 'JSON, e.g. "text" or 5' : unsetText(about.schema);
  return (
    <Frame
      place={place}
      field={about}
      pick={pick}
      single
      closed
      state={field.kind === "json" ? "" : "as JSON"}
      buttons={
        <>
          {field.kind === "json" || slot === "root" ? null : (
            <Button
              label={loses ? "discard" : "form"}
              spoken={loses ? `Discard what does not fit ${nameOf(place)}` : `Edit ${nameOf(place)} as a form`}
              onClick={toForm}
            />
          )}
          {value !== undefined && slot === "property" && !place.required ? clearButton(scope, place, true) : null}
        </>
      }
    >
      <RawJson text={text} onText={set} spoken={spokenOf(scope, place, true)} placeholder={unset} />
    </Frame>
  );
}
