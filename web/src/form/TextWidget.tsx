import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from "react";
import { getValueAt } from "../json/path";
import { DatePicker } from "./DatePicker";
import { withValue } from "./draft";
import { buildControlProps, FieldFrame } from "./FieldFrame";
import type { Field } from "./field";
import { FieldButton, getAccessibleName, renderClearButton, renderNullButton } from "./fieldButtons";
import { buildId, type FieldPosition, useFormContext } from "./formContext";
import { describeUnset, findExample } from "./hints";
import { toText } from "./keywords";

interface TextProps {
  position: FieldPosition;
  field: Field;
  kind: Field;
  variantPicker: ReactNode;
}

const LONG_NAMES =
  /(^|[_\W])(text|body|content|message|notes?|description|prompt|comments?|instructions?|answer|summary|markdown)$/i;

/** Whether the text is multi-line from the start. */
function isLongText(kind: Field, position: FieldPosition): boolean {
  const { maxLength, format, pattern } = kind.schema;
  const short = typeof maxLength === "number" && maxLength <= 80;
  return !short && format === undefined && pattern === undefined && LONG_NAMES.test(String(position.path.at(-1) ?? ""));
}

/** A text field. Clearing it unsets the value; Enter in an unset line sets the empty string. */
export function TextWidget({ position, field, kind, variantPicker }: TextProps) {
  const context = useFormContext();
  const { path, slot } = position;
  const current = getValueAt(context.draft.value, path);
  const value = typeof current === "string" ? current : undefined;
  const box = useRef<HTMLTextAreaElement>(null);
  const isBlank = value === undefined || value === "";
  const isMultiline = isLongText(kind, position) || (value?.includes("\n") ?? false);

  useLayoutEffect(() => {
    const area = box.current;
    if (area !== null && value !== undefined) {
      area.style.height = "0";
      area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
    } else if (area !== null) {
      area.style.height = "";
    }
  }, [value]);

  function setText(text: string | undefined): void {
    context.update((draft) => withValue(draft, path, text, position.order));
  }

  function handleKey(event: KeyboardEvent): void {
    const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.nativeEvent.isComposing);
    if (event.key === "Enter" && plain && !isMultiline) {
      event.preventDefault();
      if (value === undefined) {
        setText("");
      }
    } else if ((event.key === "Backspace" || event.key === "Delete") && slot !== "item" && value === "") {
      setText(undefined);
    }
  }

  const example = findExample(kind);
  const unset = position.required && field.schema.default === undefined ? "" : describeUnset(field.schema);
  const placeholder =
    current === null
      ? "null"
      : value === ""
        ? "empty string"
        : example === ""
          ? unset
          : unset === "" || unset === "unset"
            ? `${unset} ${`e.g. ${example}`}`.trim()
            : unset;
  return (
    <FieldFrame
      position={position}
      field={field}
      variantPicker={variantPicker}
      hasSingleControl
      buttons={
        <>
          {isBlank && slot !== "item" && value === undefined ? (
            <FieldButton
              label="empty"
              isFaint
              accessibleName={`Set ${getAccessibleName(position)} to the empty string`}
              skipsTab
              onClick={() => setText("")}
            />
          ) : null}
          {kind.nullable ? renderNullButton(context, position, current) : null}
          {current !== undefined && slot === "property" && !position.required
            ? renderClearButton(context, position, true)
            : null}
        </>
      }
    >
      <div className="sf-line">
        <textarea
          {...buildControlProps(context, position)}
          ref={box}
          className={`sf-input ${current === null ? "sf-null" : ""} ${value === "" ? "sf-empty" : ""}`}
          rows={isMultiline ? 2 : 1}
          value={value ?? ""}
          placeholder={placeholder}
          spellCheck={false}
          autoComplete="off"
          onKeyDown={handleKey}
          onChange={(event) => {
            const text = event.target.value;
            setText(text === "" && slot !== "item" ? undefined : text);
          }}
        />
        <DatePicker
          format={toText(kind.schema.format)}
          value={value ?? ""}
          name={getAccessibleName(position)}
          disabled={context.disabled}
          onPick={(text) => {
            setText(text);
            context.focusAfterRender(buildId(context, path));
          }}
        />
      </div>
    </FieldFrame>
  );
}
