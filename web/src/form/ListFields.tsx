import type { KeyboardEvent } from "react";
import { formatPath, getValueAt, type Path } from "../json/path";
import { withInitialValue, withOrder } from "./draft";
import type { Field } from "./field";
import { FieldButton, getAccessibleName } from "./fieldButtons";
import { buildId, type FieldPosition, useFormContext } from "./formContext";
import { createInitialValue } from "./initialValue";
import { readItemSchema, toSchemas } from "./keywords";

/** The items of a list or a tuple. Alt with an arrow key moves the item that the focus is in. */
export function ListFields({ position, field }: { position: FieldPosition; field: Field }) {
  const context = useFormContext();
  const { path } = position;
  const current = getValueAt(context.draft.value, path);
  const items = Array.isArray(current) ? current : [];
  const next = readItemSchema(field.schema, items.length);
  const fixed = toSchemas(field.schema.prefixItems).length;
  const indexes = items.map((_, index) => index);

  function addItem(): void {
    const at = [...path, items.length];
    context.update((draft) => withInitialValue(draft, at, createInitialValue(next ?? {}, context.rootSchema, 1)));
    context.focusAfterRender(buildId(context, at));
  }

  function removeItem(index: number): void {
    context.update((draft) => withOrder(draft, path, indexes.toSpliced(index, 1)));
    const near = Math.min(index, items.length - 2);
    context.focusAfterRender(near < 0 ? buildId(context, path, "#add") : buildId(context, [...path, near]));
  }

  function moveItem(index: number, by: number, focus: (to: Path) => string): void {
    const to = index + by;
    if (to >= fixed && to < items.length && index >= fixed) {
      context.update((draft) => withOrder(draft, path, indexes.with(index, to).with(to, index)));
      context.focusAfterRender(focus([...path, to]));
    }
  }

  function handleKey(event: KeyboardEvent, index: number): void {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (event.altKey && by !== 0) {
      event.preventDefault();
      event.stopPropagation();
      moveItem(index, by, (to) => buildId(context, to));
    }
  }

  function renderActions(index: number) {
    const name = `${getAccessibleName(position)}[${index}]`;
    return index < fixed ? undefined : (
      <>
        <span id={buildId(context, [...path, index], "#up")}>
          <FieldButton
            label="↑"
            accessibleName={`Move ${name} up`}
            skipsTab={index === fixed}
            disabled={index === fixed}
            onClick={() => moveItem(index, -1, (to) => buildId(context, to, "#up"))}
          />
        </span>
        <span id={buildId(context, [...path, index], "#down")}>
          <FieldButton
            label="↓"
            accessibleName={`Move ${name} down`}
            disabled={index === items.length - 1}
            onClick={() => moveItem(index, 1, (to) => buildId(context, to, "#down"))}
          />
        </span>
        <FieldButton label="×" accessibleName={`Remove ${name}`} onClick={() => removeItem(index)} />
      </>
    );
  }

  return (
    <>
      {items.map((_, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys duplicate the buttons
        // biome-ignore lint/suspicious/noArrayIndexKey: an item has no id but its position
        <div key={index} className="sf-row" onKeyDown={(event) => handleKey(event, index)}>
          {context.renderField(readItemSchema(field.schema, index) ?? {}, {
            path: [...path, index],
            label: findLabel(field, index),
            accessibleName: formatPath([getAccessibleName(position), index]),
            required: true,
            slot: "item",
            isTupleItem: index < fixed,
            order: [],
            depth: position.depth + 1,
            actions: renderActions(index),
          })}
        </div>
      ))}
      {next === null ? null : (
        <div className="sf-add" id={buildId(context, path, "#add")}>
          <FieldButton
            label="+ item"
            accessibleName={`Add an item to ${getAccessibleName(position)}`}
            onClick={addItem}
          />
        </div>
      )}
    </>
  );
}

/** The items of a tuple can have titles. */
function findLabel(field: Field, index: number): string {
  const title = toSchemas(field.schema.prefixItems)[index]?.title;
  return typeof title === "string" ? title : String(index);
}
