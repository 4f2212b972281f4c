/** Detects strings that contain JSON or Markdown. */

import { type Json, JsonError, parse } from "./lossless";

const MAX_LENGTH = 1_000_000;
const MAX_SCANNED = 5_000;
const MARKDOWN = [
  /^#{1,6} \S/m,
  /^ {0,3}(?:[-*+]|\d{1,3}[.)]) \S.*\n {0,3}(?:[-*+]|\d{1,3}[.)]) \S/m,
  /\*\*[^*\n]{1,200}\*\*/,
  /^```/m,
  /^\|[^\n]{1,500}\|[ \t]*\n\|[ :|-]{1,500}\|/m,
  /\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)/,
];

/** The object or list that a string contains as JSON, or null. */
export function parseNestedJson(text: string): Json | null {
  const first = text.trimStart()[0];
  if ((first !== "{" && first !== "[") || text.length > MAX_LENGTH) {
    return null;
  }
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof JsonError) {
      return null;
    }
    throw error;
  }
}

export function looksLikeMarkdown(text: string): boolean {
  const begin = text.slice(0, MAX_SCANNED);
  return MARKDOWN.some((pattern) => pattern.test(begin));
}
