import type { ReactNode } from "react";
import { isEqual, type Json, stringify } from "../json/lossless";
import { getValueAt, toPointer } from "../json/path";
import { withValue } from "./draft";
import { buildControlProps, FieldFrame } from "./FieldFrame";
import type { Field } from "./field";
import { getAccessibleName } from "./fieldButtons";
import { buildId, type FieldPosition, useFormContext } from "./formContext";
import { readDefault } from "./hints";

interface ChoiceProps {
  position: FieldPosition;
  field: Field;
  kind: Field;
  variantPicker: ReactNode;
}

interface Option {
  label: string;
  /** Undefined leaves it unset. */
  value: Json | undefined;
}

const MAX_BUTTONS = 5;
const MAX_BUTTONS_WIDTH = 34;

/** One of a few values, each with its own type: true or false, the values of an enumeration, a constant, null. */
export function ChoiceWidget({ position, field, kind, variantPicker }: ChoiceProps) {
  const context = useFormContext();
  const { path } = position;
  const isFilled = context.draft.texts[toPointer(path)] === undefined;
  const value = isFilled ? getValueAt(context.draft.value, path) : undefined;
  const options = listOptions(kind, position, field);
  const chosen = options.findIndex((option) => isEqualOrUnset(option.value, value));
  const asButtons =
    options.length <= MAX_BUTTONS &&
    options.reduce((sum, option) => sum + option.label.length + 2, 0) <= MAX_BUTTONS_WIDTH;

  function choose(option: Option | undefined): void {
    if (option !== undefined) {
      context.update((draft) => withValue(draft, path, option.value, position.order));
    }
  }

  const { id, disabled, ...spoken } = buildControlProps(context, position);
  return (
    <FieldFrame position={position} field={field} variantPicker={variantPicker} hasSingleControl={!asButtons}>
      {asButtons ? (
        <div
          {...spoken}
          className={options.length === 1 ? "sf-segments sf-only" : "sf-segments"}
          role="radiogroup"
          aria-label={getAccessibleName(position)}
        >
          {options.map((option, index) => (
            <label key={option.label} className={option.value === undefined ? "sf-quiet" : ""}>
              <input
                type="radio"
                name={id}
                id={index === 0 ? id : buildId(context, path, `#${index}`)}
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
    </FieldFrame>
  );
}

function listOptions(kind: Field, position: FieldPosition, field: Field): Option[] {
  const values: Option[] =
    kind.kind === "boolean"
      ? [true, false].map((value) => ({ label: String(value), value }))
      : kind.choices.map(({ value, title }) => ({ label: title === "" ? formatOption(value) : title, value }));
  const labels = values.map((option) => option.label);
  const options = values.map((option) =>
    labels.indexOf(option.label) === labels.lastIndexOf(option.label)
      ? option
      : { ...option, label: `${option.label} (${stringify(option.value ?? null)})` },
  );
  if (kind.nullable || kind.kind === "null") {
    options.push({ label: "null", value: null });
  }
  if (position.slot === "property" && !position.required) {
    options.unshift({ label: formatUnsetLabel(field), value: undefined });
  }
  return options;
}

function formatUnsetLabel(field: Field): string {
  const value = readDefault(field.schema);
  return value === undefined ? "unset" : `unset (${formatOption(value)})`;
}

function formatOption(value: Json): string {
  return typeof value === "string" && value !== "" ? value : stringify(value);
}

function isEqualOrUnset(left: Json | undefined, right: Json | undefined): boolean {
  return left === undefined || right === undefined ? left === right : isEqual(left, right);
}
