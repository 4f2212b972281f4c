import type { ReactNode } from "react";
import { stringify } from "../json/lossless";
import { getValueAt, toPointer } from "../json/path";
import { tryParse, withInitialValue, withText, withValue } from "./draft";
import { buildControlProps, FieldFrame } from "./FieldFrame";
import type { Field } from "./field";
import { FieldButton, getAccessibleName, renderClearButton } from "./fieldButtons";
import { buildId, type FieldPosition, useFormContext } from "./formContext";
import { describeUnset } from "./hints";
import { JsonTextArea } from "./JsonTextArea";
import { convertValue, isOfKind } from "./variant";

interface JsonFieldProps {
  position: FieldPosition;
  field: Field;
  about: Field;
  variantPicker: ReactNode;
}

/** A field edited as JSON, because its schema allows anything or no widget can show its value. */
export function JsonField({ position, field, about, variantPicker }: JsonFieldProps) {
  const context = useFormContext();
  const { path, slot } = position;
  const value = getValueAt(context.draft.value, path);
  const typed = context.draft.texts[toPointer(path)];
  const text = typed ?? (value === undefined ? "" : stringify(value, 2));

  function setText(next: string): void {
    const blank = next.trim() === "" && slot !== "item";
    context.update((draft) =>
      blank ? withValue(draft, path, undefined) : withText(draft, path, next, tryParse(next), position.order),
    );
  }

  function toForm(): void {
    const read = tryParse(text);
    context.update((draft) =>
      read !== undefined && isOfKind(read, field)
        ? withValue(draft, path, read, position.order)
        : withInitialValue(draft, path, convertValue(read, field.schema, context.rootSchema), position.order),
    );
    context.focusAfterRender(buildId(context, path));
  }

  const read = tryParse(text);
  const losesText = read === undefined || !isOfKind(read, field);
  const unset =
    position.required && about.schema.default === undefined ? 'JSON, e.g. "text" or 5' : describeUnset(about.schema);
  return (
    <FieldFrame
      position={position}
      field={about}
      variantPicker={variantPicker}
      hasSingleControl
      isClosed
      status={field.kind === "json" ? "" : "as JSON"}
      buttons={
        <>
          {field.kind === "json" || slot === "root" ? null : (
            <FieldButton
              label={losesText ? "discard" : "form"}
              accessibleName={
                losesText
                  ? `Discard what does not fit ${getAccessibleName(position)}`
                  : `Edit ${getAccessibleName(position)} as a form`
              }
              onClick={toForm}
            />
          )}
          {value !== undefined && slot === "property" && !position.required
            ? renderClearButton(context, position, true)
            : null}
        </>
      }
    >
      <JsonTextArea
        text={text}
        onText={setText}
        controlProps={buildControlProps(context, position, true)}
        placeholder={unset}
      />
    </FieldFrame>
  );
}
