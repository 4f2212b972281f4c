/** A value in one line, cut where nobody reads on. */

import { isNumber, type Json, textOf } from "./lossless";

export function preview(value: Json, most = 80): string {
  let text = "";

  function write(item: Json): void {
    if (text.length > most) {
      return;
    }
    if (typeof item === "string") {
      text += JSON.stringify(item.length > most ? item.slice(0, most) : item);
    } else if (isNumber(item)) {
      text += textOf(item);
    } else if (Array.isArray(item)) {
      between("[", "]", item.entries(), () => "");
    } else if (item instanceof Map) {
      between("{", "}", item.entries(), (key) => `${key}: `);
    } else {
      text += String(item);
    }
  }

  function between<Step>(
    open: string,
    close: string,
    entries: Iterable<[Step, Json]>,
    name: (step: Step) => string,
  ): void {
    let first = true;
    text += open;
    for (const [step, item] of entries) {
      if (text.length > most) {
        return;
      }
      text += (first ? "" : ", ") + name(step);
      first = false;
      write(item);
    }
    text += close;
  }

  write(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
