import type { KeyboardEvent } from "react";
import { dotted, type Path, valueAt } from "../json/path";
import { withOrder, withSeed } from "./draft";
import type { Field } from "./field";
import { itemOf, listOf } from "./keywords";
import { Button, nameOf } from "./parts";
import { idOf, type Place, useScope } from "./scope";
import { seed } from "./seed";

/** The items of a list or a tuple. Alt with an arrow key moves the item that the focus is in. */
export function ListBody({ place, field }: { place: Place; field: Field }) {
  const scope = useScope();
  const { path } = place;
  const stated = valueAt(scope.draft.value, path);
  const items = Array.isArray(stated) ? stated : [];
  const next = itemOf(field.schema, items.length);
  const fixed = listOf(field.schema.prefixItems).length;
  const places = items.map((_, index) => index);

  function add(): void {
    const at = [...path, items.length];
    scope.edit((draft) => withSeed(draft, at, seed(next ?? {}, scope.root, 1)));
    scope.focusNext(idOf(scope, at));
  }

  function remove(index: number): void {
    scope.edit((draft) => withOrder(draft, path, places.toSpliced(index, 1)));
    const near = Math.min(index, items.length - 2);
    scope.focusNext(near < 0 ? idOf(scope, path, "#add") : idOf(scope, [...path, near]));
  }

  function move(index: number, by: number, focus: (to: Path) => string): void {
    const to = index + by;
    if (to >= fixed && to < items.length && index >= fixed) {
      scope.edit((draft) => withOrder(draft, path, places.with(index, to).with(to, index)));
      scope.focusNext(focus([...path, to]));
    }
  }

  function pressed(event: KeyboardEvent, index: number): void {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (event.altKey && by !== 0) {
      event.preventDefault();
      event.stopPropagation();
      move(index, by, (to) => idOf(scope, to));
    }
  }

  function tools(index: number) {
    const name = `${nameOf(place)}[${index}]`;
    return index < fixed ? undefined : (
      <>
        <span id={idOf(scope, [...path, index], "#up")}>
          <Button
            label="↑"
            spoken={`Move ${name} up`}
            aside={index === fixed}
            disabled={index === fixed}
            onClick={() => move(index, -1, (to) => idOf(scope, to, "#up"))}
          />
        </span>
        <span id={idOf(scope, [...path, index], "#down")}>
          <Button
            label="↓"
            spoken={`Move ${name} down`}
            disabled={index === items.length - 1}
            onClick={() => move(index, 1, (to) => idOf(scope, to, "#down"))}
          />
        </span>
        <Button label="×" spoken={`Remove ${name}`} onClick={() => remove(index)} />
      </>
    );
  }

  return (
    <>
      {items.map((_, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys are a second way to do what the buttons do
        // biome-ignore lint/suspicious/noArrayIndexKey: an item has no other identity than its place
        <div key={index} className="sf-row" onKeyDown={(event) => pressed(event, index)}>
          {scope.draw(itemOf(field.schema, index) ?? {}, {
            path: [...path, index],
            label: labelOf(field, index),
            spoken: dotted([nameOf(place), index]),
            required: true,
            slot: "item",
            order: [],
            depth: place.depth + 1,
            tools: tools(index),
          })}
        </div>
      ))}
      {next === null ? null : (
        <div className="sf-add" id={idOf(scope, path, "#add")}>
          <Button label="+ item" spoken={`Add an item to ${nameOf(place)}`} onClick={add} />
        </div>
      )}
    </>
  );
}

/** A tuple's places can have names. */
function labelOf(field: Field, index: number): string {
  const title = listOf(field.schema.prefixItems)[index]?.title;
  return typeof title === "string" ? title : String(index);
}
