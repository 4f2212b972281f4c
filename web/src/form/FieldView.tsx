import { pointer, valueAt } from "../json/path";
import { ChoiceWidget } from "./ChoiceWidget";
import { withSeed } from "./draft";
import { Frame } from "./Frame";
import { type Field, fieldOf } from "./field";
import { unsetText } from "./hints";
import { JsonPart } from "./JsonPart";
import { propertiesOf, type Schema } from "./keywords";
import { ListBody } from "./ListBody";
import { NumberWidget } from "./NumberWidget";
import { ObjectBody } from "./ObjectBody";
import { asPart, Button, clearButton, nameOf, nullButton } from "./parts";
import { idOf, type Place, useScope } from "./scope";
import { seed } from "./seed";
import { TextWidget } from "./TextWidget";
import { isToChoose, pickedVariant, VariantPick } from "./VariantPick";
import { suits } from "./variant";

const DEEPEST = 12;
const MOST_PARTS = 200;
const OPEN_LEVELS = 6;
const SEVERAL = ["object", "list", "tuple"];

/** One field of any kind. */
export function FieldView({ schema, place }: { schema: Schema; place: Place }) {
  const scope = useScope();
  const { root, draft } = scope;
  const { path } = place;
  const stated = fieldOf(schema, root);
  const value = valueAt(draft.value, path);
  const typed = draft.texts[pointer(path)];
  const picked = stated.kind === "union" ? pickedVariant(draft, path, stated, root) : null;
  const inner = picked === null ? stated : fieldOf(stated.variants[picked] as Schema, root);
  const field: Field = { ...inner, nullable: stated.nullable || inner.nullable };
  const pick = picked === null ? undefined : <VariantPick place={place} field={stated} picked={picked} />;
  const about: Field = picked === null ? field : { ...stated, schema: { ...inner.schema, ...stated.schema } };

  if (asRawJson(field, place.depth, value, typed)) {
    return <JsonPart place={place} field={field} about={about} pick={pick} />;
  }
  if (SEVERAL.includes(field.kind)) {
    const picks = picked !== null && isToChoose(draft, path, stated, root);
    const variant = picked === null ? schema : (stated.variants[picked] as Schema);
    return <Several place={place} field={field} about={about} pick={pick} picks={picks} schema={variant} />;
  }
  const frame = { place, field: about, pick };
  switch (field.kind) {
    case "text":
      return <TextWidget {...frame} kind={field} />;
    case "integer":
    case "number":
      return <NumberWidget {...frame} kind={field} />;
    default:
      return <ChoiceWidget {...frame} kind={field} />;
  }
}

/** Whether a part is edited as JSON: by choice, or because no widget could show it. */
function asRawJson(field: Field, depth: number, value: ReturnType<typeof valueAt>, typed: string | undefined): boolean {
  if (field.kind === "json" || depth > DEEPEST) {
    return true;
  }
  if (SEVERAL.includes(field.kind)) {
    const parts =
      value instanceof Map ? value.size + propertiesOf(field.schema).length : Array.isArray(value) ? value.length : 0;
    return typed !== undefined || parts > MOST_PARTS || (value !== undefined && !suits(value, field));
  }
  if (typed !== undefined) {
    return field.kind === "integer" || field.kind === "number" ? /^\s*["[{]/.test(typed) : typed.trim() !== "";
  }
  return value !== undefined && !suits(value, field);
}

interface SeveralProps {
  place: Place;
  field: Field;
  about: Field;
  pick: React.ReactNode;
  /** Whether picking a variant is what sets it. */
  picks: boolean;
  schema: Schema;
}

/** An object or a list: unset, null, or with its parts below it. */
function Several({ place, field, about, pick, picks, schema }: SeveralProps) {
  const scope = useScope();
  const { path, slot } = place;
  const at = pointer(path);
  const value = valueAt(scope.draft.value, path);
  const open = slot === "root" || (scope.draft.open[at] ?? place.depth < OPEN_LEVELS);
  const isSet = value !== undefined && value !== null;

  function set(): void {
    scope.edit((draft) => withSeed(draft, path, seed(schema, scope.root, 1), place.order));
    scope.focusNext(idOf(scope, path));
  }

  function toggle(): void {
    scope.edit((draft) => ({ ...draft, open: { ...draft.open, [at]: !open } }));
  }

  const buttons = (
    <>
      {isSet || picks ? null : <Button label="set" spoken={`Set ${nameOf(place)}`} onClick={set} />}
      {field.nullable ? nullButton(scope, place, value) : null}
      {isSet && slot !== "root" ? asPart(scope, place, value) : null}
      {value !== undefined && slot === "property" && !(place.required && isSet) ? clearButton(scope, place) : null}
    </>
  );
  const body =
    isSet && open ? (
      field.kind === "object" ? (
        <ObjectBody place={place} field={field} />
      ) : (
        <ListBody place={place} field={field} />
      )
    ) : null;
  return (
    <Frame
      place={place}
      field={about}
      pick={pick}
      single={false}
      nested
      closed={!open || !isSet}
      state={stateOf(value, about.schema, open && field.kind !== "list")}
      {...(isSet && slot !== "root" ? { fold: { open, toggle } } : {})}
      buttons={buttons}
    >
      {body}
    </Frame>
  );
}

/** A word on how it stands, where its parts do not show it. */
function stateOf(value: ReturnType<typeof valueAt>, schema: Schema, isShown: boolean): string {
  if (value === undefined || value === null) {
    return value === null ? "null" : unsetText(schema);
  }
  if (isShown) {
    return "";
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? "empty" : value.length === 1 ? "1 item" : `${value.length} items`;
  }
  return value instanceof Map ? `{${[...value.keys()].join(", ")}}` : "";
}
