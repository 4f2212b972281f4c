/** The form for a JSON Schema, and its draft. */

export {
  createDraft,
  deserializeDraft,
  draftFromJson,
  type FormDraft,
  formatRawJson,
  serializeDraft,
  toForm,
  toRawJson,
} from "./draft";
export type { ControlProps } from "./FieldFrame";
export { JsonTextArea } from "./JsonTextArea";
export type { Schema } from "./keywords";
export { draftToJson, type FormJson } from "./problems";
export { SchemaForm, type SchemaFormProps } from "./SchemaForm";
