import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from "react";
import { valueAt } from "../json/path";
import { DateHelp } from "./DateHelp";
import { withValue } from "./draft";
import { Frame, spokenOf } from "./Frame";
import type { Field } from "./field";
import { exampleOf, unsetText } from "./hints";
import { textOf } from "./keywords";
import { Button, clearButton, nameOf, nullButton } from "./parts";
import { idOf, type Place, useScope } from "./scope";

interface TextProps {
  place: Place;
  field: Field;
  kind: Field;
  pick: ReactNode;
}

const LONG_NAMES =
  /(^|[_\W])(text|body|content|message|notes?|description|prompt|comments?|instructions?|answer|summary|markdown)$/i;

/** Whether Enter begins a new line from the start. */
function isLong(kind: Field, place: Place): boolean {
  const { maxLength, format, pattern } = kind.schema;
  const short = typeof maxLength === "number" && maxLength <= 80;
  return !short && format === undefined && pattern === undefined && LONG_NAMES.test(String(place.path.at(-1) ?? ""));
}

/** A text. Emptied it is unset; Enter in an unset line sets the empty text. */
export function TextWidget({ place, field, kind, pick }: TextProps) {
  const scope = useScope();
  const { path, slot } = place;
  const stated = valueAt(scope.draft.value, path);
  const value = typeof stated === "string" ? stated : undefined;
  const box = useRef<HTMLTextAreaElement>(null);
  const isBlank = value === undefined || value === "";
  const long = isLong(kind, place) || (value?.includes("\n") ?? false);

  useLayoutEffect(() => {
    const area = box.current;
    if (area !== null && value !== undefined) {
      area.style.height = "0";
      area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
    } else if (area !== null) {
      area.style.height = "";
    }
  }, [value]);

  function set(text: string | undefined): void {
    scope.edit((draft) => withValue(draft, path, text, place.order));
  }

  function pressed(event: KeyboardEvent): void {
    const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.nativeEvent.isComposing);
    if (event.key === "Enter" && plain && !long) {
      event.preventDefault();
      if (value === undefined) {
        set("");
      }
    } else if ((event.key === "Backspace" || event.key === "Delete") && slot !== "item" && value === "") {
      set(undefined);
    }
  }

  const example = exampleOf(kind);
  const unset = place.required && field.schema.default === undefined ? "" : unsetText(field.schema);
  const placeholder =
    stated === null
      ? "null"
      : value === ""
        ? "empty text"
        : example === ""
          ? unset
          : unset === "" || unset === "unset"
            ? `${unset} ${`e.g. ${example}`}`.trim()
            : unset;
  return (
    <Frame
      place={place}
      field={field}
      pick={pick}
      single
      buttons={
        <>
          {isBlank && slot !== "item" && value === undefined ? (
            <Button
              label={'""'}
              faint
              spoken={`Set ${nameOf(place)} to the empty text`}
              aside
              onClick={() => set("")}
            />
          ) : null}
          {kind.nullable ? nullButton(scope, place, stated) : null}
          {stated !== undefined && slot === "property" && !place.required ? clearButton(scope, place, true) : null}
        </>
      }
    >
      <div className="sf-line">
        <textarea
          {...spokenOf(scope, place)}
          ref={box}
          className={`sf-input ${stated === null ? "sf-null" : ""} ${value === "" ? "sf-empty" : ""}`}
          rows={long ? 2 : 1}
          value={value ?? ""}
          placeholder={placeholder}
          spellCheck={false}
          autoComplete="off"
          onKeyDown={pressed}
          onChange={(event) => {
            const text = event.target.value;
            set(text === "" && slot !== "item" ? undefined : text);
          }}
        />
        <DateHelp
          format={textOf(kind.schema.format)}
          value={value ?? ""}
          name={nameOf(place)}
          disabled={scope.disabled}
          onPick={(text) => {
            set(text);
            scope.focusNext(idOf(scope, path));
          }}
        />
      </div>
    </Frame>
  );
}
