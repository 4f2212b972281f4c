import { Fragment, useState } from "react";
import type { JsonObject } from "../json/lossless";
import { getValueAt, toPointer } from "../json/path";
import { withInitialValue, withKey, withValue } from "./draft";
import type { Field } from "./field";
import { FieldButton, getAccessibleName } from "./fieldButtons";
import { buildId, type FieldPosition, useFormContext } from "./formContext";
import { createInitialValue } from "./initialValue";
import { readExtraSchema, readProperties, readRequired, type Schema } from "./keywords";

/** The fields of an object in the schema's order, and below them the keys that the schema does not name. */
export function ObjectFields({ position, field }: { position: FieldPosition; field: Field }) {
  const context = useFormContext();
  const { path } = position;
  const current = getValueAt(context.draft.value, path);
  const object: JsonObject = current instanceof Map ? current : new Map();
  const properties = readProperties(field.schema);
  const names = properties.map(([name]) => name);
  const required = readRequired(field.schema);
  const extra = readExtraSchema(field.schema);
  const others = [...object.keys()].filter((key) => !names.includes(key));

  function addKey(): void {
    const key = findFreeKey(object);
    context.update((draft) =>
      withInitialValue(draft, [...path, key], createInitialValue(extra ?? {}, context.rootSchema, 1)),
    );
    context.focusAfterRender(buildId(context, [...path, key]));
  }

  return (
    <>
      {properties.map(([name, schema]) => (
        <Fragment key={name}>
          {context.renderField(schema, {
            path: [...path, name],
            label: name,
            required: required.has(name),
            slot: "property",
            order: names,
            depth: position.depth + 1,
          })}
        </Fragment>
      ))}
      {others.map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the row must keep its identity while its key is typed
        <MapRow key={index} position={position} object={object} name={key} schema={extra ?? {}} others={others} />
      ))}
      {extra === null ? null : (
        <div className="sf-add">
          <FieldButton label="+ key" accessibleName={`Add a key to ${getAccessibleName(position)}`} onClick={addKey} />
        </div>
      )}
      {properties.length === 0 && extra === null && others.length === 0 ? (
        <p className="sf-none">nothing to fill in</p>
      ) : null}
    </>
  );
}

interface MapRowProps {
  position: FieldPosition;
  object: JsonObject;
  name: string;
  schema: Schema;
  others: readonly string[];
}

/** A key that can be renamed, and its value. */
function MapRow({ position, object, name, schema, others }: MapRowProps) {
  const context = useFormContext();
  const path = [...position.path, name];
  const mark = `${toPointer(path)}#key`;
  const typed = context.draft.texts[mark];
  const [isFresh] = useState(() => /^key\d*$/.test(name));

  function rename(to: string): void {
    context.update((draft) => {
      const { [mark]: _, ...texts } = draft.texts;
      const plain = { ...draft, texts };
      return to === name || !object.has(to)
        ? withKey(plain, position.path, name, to)
        : { ...draft, texts: { ...draft.texts, [mark]: to } };
    });
  }

  function remove(): void {
    const near = others[others.indexOf(name) + 1] ?? others[others.indexOf(name) - 1];
    context.update((draft) => withValue(draft, path, undefined));
    context.focusAfterRender(buildId(context, near === undefined ? position.path : [...position.path, near]));
  }

  const key = (
    <input
      className="sf-input sf-data sf-key"
      aria-label={`Key ${name}`}
      value={typed ?? name}
      disabled={context.disabled}
      spellCheck={false}
      autoComplete="off"
      aria-invalid={typed !== undefined}
      onFocus={(event) => isFresh && event.target.select()}
      onChange={(event) => rename(event.target.value)}
    />
  );
  return (
    <div className="sf-row">
      {context.renderField(schema, {
        path,
        label: key,
        accessibleName: name,
        required: false,
        slot: "item",
        order: [],
        depth: position.depth + 1,
        actions: <FieldButton label="×" accessibleName={`Remove ${name}`} onClick={remove} />,
      })}
    </div>
  );
}

function findFreeKey(object: JsonObject): string {
  let number = 1;
  while (object.has(number === 1 ? "key" : `key${number}`)) {
    number += 1;
  }
  return number === 1 ? "key" : `key${number}`;
}
