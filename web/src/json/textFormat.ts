/** Detects strings that seem to contain JSON or Markdown. */

const MAX_LENGTH = 1_000_000;
/** A longer text is formatted on request only: all of it is then in the page. */
export const MAX_QUICK_MARKDOWN_LENGTH = 20_000;
/** A longer text is never formatted: the page would hold too many elements. */
export const MAX_MARKDOWN_LENGTH = 200_000;
const MAX_SCANNED = 5_000;
const MARKDOWN = [
  /^#{1,6} \S/m,
  /^ {0,3}(?:[-*+]|\d{1,3}[.)]) \S.*\n {0,3}(?:[-*+]|\d{1,3}[.)]) \S/m,
  /\*\*[^*\n]{1,200}\*\*/,
  /^```/m,
  /^\|[^\n]{1,500}\|[ \t]*\n\|[ :|-]{1,500}\|/m,
  /\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)/,
];

/** Whether a string begins like an object or a list, and is worth parsing. */
export function looksLikeJson(text: string): boolean {
  return text.length <= MAX_LENGTH && /^\s*[[{]/.test(text);
}

/** Whether a string begins like Markdown, and is short enough to be formatted. */
export function looksLikeMarkdown(text: string): boolean {
  if (text.length > MAX_MARKDOWN_LENGTH) {
    return false;
  }
  const begin = text.slice(0, MAX_SCANNED);
  return MARKDOWN.some((pattern) => pattern.test(begin));
}
