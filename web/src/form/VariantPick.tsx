import type { Json } from "../json/lossless";
import { type Path, pointer, valueAt } from "../json/path";
import { type FormDraft, withSeed, withValue } from "./draft";
import { type Field, fieldOf } from "./field";
import type { Schema } from "./keywords";
import { variantNames } from "./names";
import { nameOf } from "./parts";
import { idOf, type Place, useScope } from "./scope";
import { carried, variantOf } from "./variant";

/** The variant that a union is shown as: the picked one, or the one that its value fits best. */
export function pickedVariant(draft: FormDraft, path: Path, field: Field, root: Schema): number {
  const picked = draft.variants[pointer(path)];
  if (picked !== undefined && picked < field.variants.length) {
    return picked;
  }
  const value = valueAt(draft.value, path);
  return value === undefined || value === null ? 0 : variantOf(value, field, root);
}

/** Picks a variant by its name; what still fits is kept. */
export function VariantPick({ place, field, picked }: { place: Place; field: Field; picked: number }) {
  const scope = useScope();
  const { path } = place;
  const at = pointer(path);

  const isOpen = isToChoose(scope.draft, path, field, scope.root);

  function pick(index: number): void {
    const schema = field.variants[index] as Schema;
    const value: Json | undefined = valueAt(scope.draft.value, path);
    const typed = scope.draft.texts[at];
    scope.edit((draft) => {
      const fresh = carried(typed ?? value, schema, scope.root);
      const isToFill = place.slot === "property" && fresh.empty.some((inner) => inner.length === 0);
      const stays = (value ?? null) === null && place.slot === "property" && !isSeveral(schema, scope.root);
      const changed = stays
        ? draft
        : isToFill
          ? withValue(draft, path, undefined)
          : withSeed(draft, path, fresh, place.order);
      return { ...changed, variants: { ...changed.variants, [at]: index } };
    });
    scope.focusNext(idOf(scope, path, "#variant"));
  }

  return (
    <span id={idOf(scope, path, "#variant")} className="sf-pick" data-variant={picked}>
      <select
        aria-label={`${nameOf(place)}: variant`}
        disabled={scope.disabled}
        className={isOpen ? "sf-unset" : ""}
        value={isOpen ? "" : picked}
        onChange={(event) => pick(Number(event.target.value))}
      >
        {isOpen ? <option value="">choose…</option> : null}
        {variantNames(field, scope.root).map((name, index) => (
          <option key={name} value={index}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

/** Whether nothing is picked yet of variants that are not just typed. */
export function isToChoose(draft: FormDraft, path: Path, field: Field, root: Schema): boolean {
  const isBlank = (valueAt(draft.value, path) ?? null) === null && draft.texts[pointer(path)] === undefined;
  return isBlank && draft.variants[pointer(path)] === undefined && isSeveral(field.variants[0] as Schema, root);
}

function isSeveral(schema: Schema, root: Schema): boolean {
  return ["object", "list", "tuple"].includes(fieldOf(schema, root).kind);
}
