import { type Json, Num } from "./value";

/** Writes a value. `textAt` may say what stands at a place instead of the value: what a person has typed there. */
export function stringify(
  value: Json,
  indent = 0,
  textAt: (path: readonly (string | number)[]) => string | undefined = () => undefined,
): string {
  const path: (string | number)[] = [];
  const parts: string[] = [];

  function line(depth: number): string {
    return indent === 0 ? "" : `\n${" ".repeat(indent * depth)}`;
  }

  function write(item: Json): void {
    const typed = textAt(path);
    if (typed !== undefined) {
      parts.push(typed);
    } else if (Array.isArray(item)) {
      between("[", "]", item.entries(), () => "");
    } else if (item instanceof Map) {
      between("{", "}", item.entries(), (key) => `${JSON.stringify(key)}:${indent === 0 ? "" : " "}`);
    } else {
      parts.push(item instanceof Num ? item.text : JSON.stringify(item));
    }
  }

  function between<Step extends string | number>(
    open: string,
    close: string,
    entries: Iterable<[Step, Json]>,
    name: (step: Step) => string,
  ): void {
    let count = 0;
    parts.push(open);
    for (const [step, item] of entries) {
      parts.push(count === 0 ? "" : ",");
      count += 1;
      path.push(step);
      parts.push(line(path.length), name(step));
      write(item);
      path.pop();
    }
    parts.push(count === 0 ? "" : line(path.length), close);
  }

  write(value);
  return parts.join("");
}
