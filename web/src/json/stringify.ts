import { ExactNumber, type Json } from "./value";

/** Serializes a value. `textAt` may return a text to write at a path instead, such as half-typed input. */
export function stringify(
  value: Json,
  indent = 0,
  textAt: (path: readonly (string | number)[]) => string | undefined = () => undefined,
): string {
  const path: (string | number)[] = [];
  const parts: string[] = [];

  function startLine(depth: number): string {
    return indent === 0 ? "" : `\n${" ".repeat(indent * depth)}`;
  }

  function write(item: Json): void {
    const typed = textAt(path);
    if (typed !== undefined) {
      parts.push(typed);
    } else if (Array.isArray(item)) {
      writeItems("[", "]", item.entries(), () => "");
    } else if (item instanceof Map) {
      writeItems("{", "}", item.entries(), (key) => `${JSON.stringify(key)}:${indent === 0 ? "" : " "}`);
    } else {
      parts.push(item instanceof ExactNumber ? item.text : JSON.stringify(item));
    }
  }

  function writeItems<Step extends string | number>(
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
      parts.push(startLine(path.length), name(step));
      write(item);
      path.pop();
    }
    parts.push(count === 0 ? "" : startLine(path.length), close);
  }

  write(value);
  return parts.join("");
}
