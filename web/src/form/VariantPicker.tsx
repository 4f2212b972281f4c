import type { Json } from "../json/lossless";
import { getValueAt, type Path, toPointer } from "../json/path";
import { type FormDraft, withInitialValue, withValue } from "./draft";
import { type Field, readField } from "./field";
import { getAccessibleName } from "./fieldButtons";
import { buildId, type FieldPosition, useFormContext } from "./formContext";
import type { Schema } from "./keywords";
import { nameVariants } from "./typeNames";
import { convertValue, findVariant } from "./variant";

/** The variant to show: the picked one, or the one that the value matches best. */
export function findPickedVariant(draft: FormDraft, path: Path, field: Field, root: Schema): number {
  const picked = draft.variants[toPointer(path)];
  if (picked !== undefined && picked < field.variants.length) {
    return picked;
  }
  const value = getValueAt(draft.value, path);
  return value === undefined || value === null ? 0 : findVariant(value, field, root);
}

/** Picks a variant by its name; values that still match are kept. */
export function VariantPicker({ position, field, picked }: { position: FieldPosition; field: Field; picked: number }) {
  const context = useFormContext();
  const { path } = position;
  const at = toPointer(path);

  const isUnpicked = needsVariant(context.draft, path, field, context.rootSchema);

  function pickVariant(index: number): void {
    const schema = field.variants[index] as Schema;
    const value: Json | undefined = getValueAt(context.draft.value, path);
    const typed = context.draft.texts[at];
    context.update((draft) => {
      const fresh = convertValue(typed ?? value, schema, context.rootSchema);
      const isToFill = position.slot === "property" && fresh.unfilled.some((inner) => inner.length === 0);
      const stays = (value ?? null) === null && position.slot === "property" && !isCompound(schema, context.rootSchema);
      const changed = stays
        ? draft
        : isToFill
          ? withValue(draft, path, undefined)
          : withInitialValue(draft, path, fresh, position.order);
      return { ...changed, variants: { ...changed.variants, [at]: index } };
    });
    context.focusAfterRender(buildId(context, path, "#variant"));
  }

  return (
    <span id={buildId(context, path, "#variant")} className="sf-pick" data-variant={picked}>
      <select
        aria-label={`${getAccessibleName(position)}: variant`}
        disabled={context.disabled}
        className={isUnpicked ? "sf-unset" : ""}
        value={isUnpicked ? "" : picked}
        onChange={(event) => pickVariant(Number(event.target.value))}
      >
        {isUnpicked ? <option value="">choose…</option> : null}
        {nameVariants(field, context.rootSchema).map((name, index) => (
          <option key={name} value={index}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

/** Whether a variant must be picked first, because the variants are objects or lists. */
export function needsVariant(draft: FormDraft, path: Path, field: Field, root: Schema): boolean {
  const isBlank = (getValueAt(draft.value, path) ?? null) === null && draft.texts[toPointer(path)] === undefined;
  return isBlank && draft.variants[toPointer(path)] === undefined && isCompound(field.variants[0] as Schema, root);
}

function isCompound(schema: Schema, root: Schema): boolean {
  return ["object", "list", "tuple"].includes(readField(schema, root).kind);
}
