import type { ReactNode } from "react";
import { type Json, same, stringify } from "../json/lossless";
import { pointer, valueAt } from "../json/path";
import { withValue } from "./draft";
import { Frame, spokenOf } from "./Frame";
import type { Field } from "./field";
import { defaultOf } from "./hints";
import { nameOf } from "./parts";
import { idOf, type Place, useScope } from "./scope";

interface ChoiceProps {
  place: Place;
  field: Field;
  kind: Field;
  pick: ReactNode;
}

interface Option {
  label: string;
  /** Undefined leaves it unset. */
  value: Json | undefined;
}

const MOST_BUTTONS = 5;
const WIDEST_BUTTONS = 34;

/** One of a few values, each with its own type: true or false, the values of an enumeration, a constant, null. */
export function ChoiceWidget({ place, field, kind, pick }: ChoiceProps) {
  const scope = useScope();
  const { path } = place;
  const isFilled = scope.draft.texts[pointer(path)] === undefined;
  const value = isFilled ? valueAt(scope.draft.value, path) : undefined;
  const options = optionsOf(kind, place, field);
  const chosen = options.findIndex((option) => sameOrUnset(option.value, value));
  const asButtons =
    options.length <= MOST_BUTTONS &&
    options.reduce((sum, option) => sum + option.label.length + 2, 0) <= WIDEST_BUTTONS;

  function choose(option: Option | undefined): void {
    if (option !== undefined) {
      scope.edit((draft) => withValue(draft, path, option.value, place.order));
    }
  }

  const { id, disabled, ...spoken } = spokenOf(scope, place);
  return (
    <Frame place={place} field={field} pick={pick} single={!asButtons}>
      {asButtons ? (
        <div
          {...spoken}
          className={options.length === 1 ? "sf-segments sf-only" : "sf-segments"}
          role="radiogroup"
          aria-label={nameOf(place)}
        >
          {options.map((option, index) => (
            <label key={option.label} className={option.value === undefined ? "sf-quiet" : ""}>
              <input
                type="radio"
                name={id}
                id={index === 0 ? id : idOf(scope, path, `#${index}`)}
                disabled={disabled}
                checked={index === chosen}
                onChange={() => choose(option)}
              />
              <span>{option.label}</span>
            </label>
          ))}
        </div>
      ) : (
        <select
          {...spoken}
          id={id}
          disabled={disabled}
          className={`sf-input sf-data ${value === undefined ? "sf-unset" : ""}`}
          value={chosen}
          onChange={(event) => choose(options[Number(event.target.value)])}
        >
          {chosen < 0 ? <option value={-1}>choose…</option> : null}
          {options.map((option, index) => (
            <option key={option.label} value={index}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Frame>
  );
}

function optionsOf(kind: Field, place: Place, field: Field): Option[] {
  const values: Option[] =
    kind.kind === "boolean"
      ? [true, false].map((value) => ({ label: String(value), value }))
      : kind.choices.map(({ value, title }) => ({ label: title === "" ? plainly(value) : title, value }));
  const labels = values.map((option) => option.label);
  const options = values.map((option) =>
    labels.indexOf(option.label) === labels.lastIndexOf(option.label)
      ? option
      : { ...option, label: `${option.label} (${stringify(option.value ?? null)})` },
  );
  if (kind.nullable || kind.kind === "null") {
    options.push({ label: "null", value: null });
  }
  if (place.slot === "property" && !place.required) {
    options.unshift({ label: unsetLabel(field), value: undefined });
  }
  return options;
}

function unsetLabel(field: Field): string {
  const stated = defaultOf(field.schema);
  return stated === undefined ? "unset" : `unset (${plainly(stated)})`;
}

function plainly(value: Json): string {
  return typeof value === "string" && value !== "" ? value : stringify(value);
}

function sameOrUnset(one: Json | undefined, other: Json | undefined): boolean {
  return one === undefined || other === undefined ? one === other : same(one, other);
}
