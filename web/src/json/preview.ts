/** A value in one line, truncated. */

import { formatNumber, isNumber, type Json } from "./lossless";

export function formatPreview(value: Json, maxLength = 80): string {
  let text = "";

  function write(item: Json): void {
    if (text.length > maxLength) {
      return;
    }
    if (typeof item === "string") {
      text += JSON.stringify(item.length > maxLength ? item.slice(0, maxLength) : item);
    } else if (isNumber(item)) {
      text += formatNumber(item);
    } else if (Array.isArray(item)) {
      writeItems("[", "]", item.entries(), () => "");
    } else if (item instanceof Map) {
      writeItems("{", "}", item.entries(), (key) => `${key}: `);
    } else {
      text += String(item);
    }
  }

  function writeItems<Step>(
    open: string,
    close: string,
    entries: Iterable<[Step, Json]>,
    name: (step: Step) => string,
  ): void {
    let first = true;
    text += open;
    for (const [step, item] of entries) {
      if (text.length > maxLength) {
        return;
      }
      text += (first ? "" : ", ") + name(step);
      first = false;
      write(item);
    }
    text += close;
  }

  write(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
