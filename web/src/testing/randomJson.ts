/** JSON texts, valid and broken, that are the same in every run. */

/** Numbers from 0 to below 1 that are the same in every run. */
export function chance(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

export function createRandomValue(random: () => number, depth: number): unknown {
  const scalars = [null, true, false, 0, -1.5, 1e20, "", 'q"\\\n\u0001é😀\ud800', "a"];
  const kind = Math.floor(random() * (depth > 0 ? 11 : 9));
  if (kind === 9) {
    return Array.from({ length: Math.floor(random() * 4) }, () => createRandomValue(random, depth - 1));
  }
  if (kind === 10) {
    const keys = ["a", "10", "b c", ""].slice(0, Math.floor(random() * 5));
    return Object.fromEntries(keys.map((key) => [key, createRandomValue(random, depth - 1)]));
  }
  return scalars[kind];
}

/** Now and then a text with one character gone, doubled or replaced. */
export function mutateText(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const marks = ["", text[at] ?? "", " ", ",", "}", '"', "\\", "0", "-", "e"];
  const mark = marks[Math.floor(random() * marks.length)] ?? "";
  return random() < 0.5 ? text : text.slice(0, at) + mark + text.slice(at + (random() < 0.5 ? 1 : 0));
}
