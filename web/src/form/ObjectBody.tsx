import { Fragment, useState } from "react";
import type { JsonObject } from "../json/lossless";
import { pointer, valueAt } from "../json/path";
import { withKey, withSeed, withValue } from "./draft";
import type { Field } from "./field";
import { extraOf, propertiesOf, requiredOf, type Schema } from "./keywords";
import { Button, nameOf } from "./parts";
import { idOf, type Place, useScope } from "./scope";
import { seed } from "./seed";

/** The fields of an object in the schema's order, and below them the keys that the schema does not name. */
export function ObjectBody({ place, field }: { place: Place; field: Field }) {
  const scope = useScope();
  const { path } = place;
  const stated = valueAt(scope.draft.value, path);
  const object: JsonObject = stated instanceof Map ? stated : new Map();
  const properties = propertiesOf(field.schema);
  const names = properties.map(([name]) => name);
  const required = requiredOf(field.schema);
  const extra = extraOf(field.schema);
  const others = [...object.keys()].filter((key) => !names.includes(key));

  function add(): void {
    const key = freeKey(object);
    scope.edit((draft) => withSeed(draft, [...path, key], seed(extra ?? {}, scope.root, 1)));
    scope.focusNext(idOf(scope, [...path, key]));
  }

  return (
    <>
      {properties.map(([name, schema]) => (
        <Fragment key={name}>
          {scope.draw(schema, {
            path: [...path, name],
            label: name,
            required: required.has(name),
            slot: "property",
            order: names,
            depth: place.depth + 1,
          })}
        </Fragment>
      ))}
      {others.map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row stays the same while its key is typed
        <MapRow key={index} place={place} object={object} name={key} schema={extra ?? {}} others={others} />
      ))}
      {extra === null ? null : (
        <div className="sf-add">
          <Button label="+ key" spoken={`Add a key to ${nameOf(place)}`} onClick={add} />
        </div>
      )}
      {properties.length === 0 && extra === null && others.length === 0 ? (
        <p className="sf-none">nothing to fill in</p>
      ) : null}
    </>
  );
}

interface MapRowProps {
  place: Place;
  object: JsonObject;
  name: string;
  schema: Schema;
  others: readonly string[];
}

/** A key that can be renamed, and its value. */
function MapRow({ place, object, name, schema, others }: MapRowProps) {
  const scope = useScope();
  const path = [...place.path, name];
  const mark = `${pointer(path)}#key`;
  const typed = scope.draft.texts[mark];
  const [isFresh] = useState(() => /^key\d*$/.test(name));

  function rename(to: string): void {
    scope.edit((draft) => {
      const { [mark]: _, ...texts } = draft.texts;
      const plain = { ...draft, texts };
      return to === name || !object.has(to)
        ? withKey(plain, place.path, name, to)
        : { ...draft, texts: { ...draft.texts, [mark]: to } };
    });
  }

  function remove(): void {
    const near = others[others.indexOf(name) + 1] ?? others[others.indexOf(name) - 1];
    scope.edit((draft) => withValue(draft, path, undefined));
    scope.focusNext(idOf(scope, near === undefined ? place.path : [...place.path, near]));
  }

  const key = (
    <input
      className="sf-input sf-data sf-key"
      aria-label={`Key ${name}`}
      value={typed ?? name}
      disabled={scope.disabled}
      spellCheck={false}
      autoComplete="off"
      aria-invalid={typed !== undefined}
      onFocus={(event) => isFresh && event.target.select()}
      onChange={(event) => rename(event.target.value)}
    />
  );
  return (
    <div className="sf-row">
      {scope.draw(schema, {
        path,
        label: key,
        spoken: name,
        required: false,
        slot: "item",
        order: [],
        depth: place.depth + 1,
        tools: <Button label="×" spoken={`Remove ${name}`} onClick={remove} />,
      })}
    </div>
  );
}

function freeKey(object: JsonObject): string {
  let number = 1;
  while (object.has(number === 1 ? "key" : `key${number}`)) {
    number += 1;
  }
  return number === 1 ? "key" : `key${number}`;
}
