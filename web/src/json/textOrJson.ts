/** What a person types where both text and JSON are accepted: JSON if it can be read as that, and else a text. */

import { type Json, JsonError, parse } from "./lossless";

/** The value of what was typed. */
export function readTextOrJson(typed: string): Json {
  const { value, error } = parseTyped(typed);
  return error ? typed.trim() : value;
}

/** How what was typed is read, as a hint below its field; empty if nothing was typed. */
export function describeTextOrJson(typed: string): string {
  if (!typed.trim()) return "";
  const { value, error } = parseTyped(typed);
  if (!error) {
    return typeof value === "string" ? "Sent as text, without the quotes." : "Sent as JSON. In quotes, it is text.";
  }
  return /^\s*["[{]/.test(typed) ? `Sent as text: it is not JSON (${error.message}).` : "Sent as text.";
}

function parseTyped(typed: string): { value: Json; error: null } | { value: null; error: JsonError } {
  try {
    return { value: parse(typed), error: null };
  } catch (error) {
    if (error instanceof JsonError) return { value: null, error };
    throw error;
  }
}
