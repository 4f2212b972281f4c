import { type Json, JsonError, type JsonObject, parse, stringify } from "../json/lossless";
import { readTextOrJson } from "../json/textOrJson";

/** Keys of the session state as they are typed: needed ones in a field each, others as a JSON object. */
export interface StateDraft {
  values: Record<string, string>;
  json: string;
}

export const EMPTY_STATE_DRAFT: StateDraft = { values: {}, json: "" };

/** What was typed since a draft was sent: the fields that are not as they were. */
export function removeSent(now: StateDraft, sent: StateDraft): StateDraft {
  const changed = Object.entries(now.values).filter(([key, text]) => text !== sent.values[key]);
  return { values: Object.fromEntries(changed), json: now.json === sent.json ? "" : now.json };
}

/** A draft as the text of a JSON object, or what is wrong with it. Empty fields are left out. */
export function buildStateText(draft: StateDraft): { text: string } | { problem: string } {
  const state: JsonObject = new Map();
  for (const [key, text] of Object.entries(draft.values)) {
    if (text.trim()) state.set(key, readTextOrJson(text));
  }
  if (draft.json.trim()) {
    const others = readObject(draft.json);
    if (typeof others === "string") return { problem: others };
    for (const [key, value] of others) state.set(key, value);
  }
  return { text: stringify(state) };
}

/** A draft with the values of a JSON object: those of the needed keys in their fields. */
export function createStateDraft(text: string, neededKeys: readonly string[]): StateDraft {
  const state = text.trim() ? readObject(text) : new Map<string, Json>();
  if (typeof state === "string") return { values: {}, json: text };
  const values: Record<string, string> = {};
  const others: JsonObject = new Map();
  for (const [key, value] of state) {
    if (neededKeys.includes(key)) values[key] = formatValue(value);
    else others.set(key, value);
  }
  return { values, json: others.size ? stringify(others, 2) : "" };
}

function formatValue(value: Json): string {
  return typeof value === "string" && readTextOrJson(value) === value ? value : stringify(value);
}

function readObject(text: string): JsonObject | string {
  try {
    const value = parse(text);
    return value instanceof Map ? value : 'The state is a JSON object, such as {"mood": "calm"}.';
  } catch (error) {
    return error instanceof JsonError ? `The state is not valid JSON: ${error.message}` : String(error);
  }
}
