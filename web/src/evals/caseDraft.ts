import type { CaseFieldInfo } from "../api/types";
import { JsonError, parse, stringify } from "../json/lossless";

/** Corrections of a case that are not saved: new values by the path of their field. */
export interface CaseDraft {
  /** The content of the case that the corrections are about. */
  fingerprint: string;
  values: Record<string, string>;
}

/** The draft after a field was changed; null once every field is as in the case. */
export function changeField(
  draft: CaseDraft | null,
  fingerprint: string,
  field: CaseFieldInfo,
  value: string,
): CaseDraft | null {
  const { [field.path]: _, ...others } = draft?.values ?? {};
  const values = isSameValue(field, value) ? others : { ...others, [field.path]: value };
  return Object.keys(values).length ? { fingerprint: draft?.fingerprint ?? fingerprint, values } : null;
}

/** Whether a value is that of the case; how JSON is indented does not matter. */
export function isSameValue(field: CaseFieldInfo, value: string): boolean {
  if (value === field.value) return true;
  if (field.kind !== "object" || !isJsonObject(value) || !isJsonObject(field.value)) return false;
  return stringify(parse(value)) === stringify(parse(field.value));
}

/** The draft after `sent` was saved: what was typed since then is kept, for the content that was saved. */
export function removeSavedValues(draft: CaseDraft | null, sent: CaseDraft, fingerprint: string): CaseDraft | null {
  const values = Object.fromEntries(
    Object.entries(draft?.values ?? {}).filter(([path, value]) => sent.values[path] !== value),
  );
  return Object.keys(values).length ? { fingerprint, values } : null;
}

/** How many of the corrections cannot be saved, because they are not JSON objects. */
export function countInvalid(draft: CaseDraft | null, fields: readonly CaseFieldInfo[]): number {
  return fields.filter(({ path, kind }) => {
    const value = draft?.values[path];
    return kind === "object" && value !== undefined && !isJsonObject(value);
  }).length;
}

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}
