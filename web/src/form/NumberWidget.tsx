import type { ReactNode } from "react";
import { formatNumber, isNumber, parseNumber } from "../json/lossless";
import { getValueAt, toPointer } from "../json/path";
import { withText, withValue } from "./draft";
import { buildControlProps, FieldFrame } from "./FieldFrame";
import type { Field } from "./field";
import { renderClearButton, renderNullButton } from "./fieldButtons";
import { type FieldPosition, useFormContext } from "./formContext";
import { describeUnset } from "./hints";

interface NumberProps {
  position: FieldPosition;
  field: Field;
  kind: Field;
  variantPicker: ReactNode;
}

/** A number, kept as typed: 5.0 stays 5.0, and invalid input stays to be corrected. */
export function NumberWidget({ position, field, kind, variantPicker }: NumberProps) {
  const context = useFormContext();
  const { path, slot } = position;
  const current = getValueAt(context.draft.value, path);
  const typed = context.draft.texts[toPointer(path)];
  const text = typed ?? (isNumber(current) ? formatNumber(current) : "");
  const isNull = current === null && typed === undefined;

  function setText(next: string): void {
    const number = parseNumber(next.trim());
    if (number !== null) {
      context.update((draft) => withValue(draft, path, number, position.order));
    } else if (next.trim() === "" && slot !== "item") {
      context.update((draft) => withValue(draft, path, undefined));
    } else {
      context.update((draft) => withText(draft, path, next, undefined, position.order));
    }
  }

  const unset = position.required && field.schema.default === undefined ? "" : describeUnset(field.schema);
  return (
    <FieldFrame
      position={position}
      field={field}
      variantPicker={variantPicker}
      hasSingleControl
      buttons={
        <>
          {kind.nullable ? renderNullButton(context, position, current) : null}
          {current !== undefined && slot === "property" && !position.required
            ? renderClearButton(context, position, true)
            : null}
        </>
      }
    >
      <input
        {...buildControlProps(context, position)}
        className={`sf-input sf-data ${isNull ? "sf-null" : ""}`}
        type="text"
        inputMode={kind.kind === "integer" ? "numeric" : "decimal"}
        value={text}
        placeholder={isNull ? "null" : slot === "item" ? "" : unset}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !(event.ctrlKey || event.metaKey)) {
            event.preventDefault();
          }
        }}
      />
    </FieldFrame>
  );
}
