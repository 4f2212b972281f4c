/** The form for a JSON Schema, and what it holds. */

export { asForm, asRaw, draftFromJson, emptyDraft, type FormDraft, rawText, restoredDraft, storedDraft } from "./draft";
export type { Spoken } from "./Frame";
export type { Schema } from "./keywords";
export { draftToJson, type Problem, type Sendable } from "./problems";
export { RawJson } from "./RawJson";
export { SchemaForm, type SchemaFormProps } from "./SchemaForm";
