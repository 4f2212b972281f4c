import { expect, test } from "vitest";
import { chance, createRandomValue, mutateText } from "../testing/randomJson";
import { JsonError, JsonReader, parse } from "./parse";
import { parseInSlices, SLICE_LENGTH, yieldToBrowser } from "./parseInSlices";
import { isEqual } from "./value";

const NEVER = new AbortController().signal;
/** What a slice may read beyond its limit in these texts: an escape sequence, a word or a short number. */
const MAX_TOKEN = 30;

const BROKEN = ["", "{", '{"a" 1}', '{"a": 1,}', "[1 2]", "[1,]", "tru", "5 5", "[nullx]", '["abc', '"a\nb"', '"\\x"'];
const ODD = [
  '"\\u12g4"',
  '{\n  "a": 12a\n}',
  '{"b": 1,\n "b": 3}',
  "[".repeat(500),
  " \n\t 5 \n ",
  '{"a":{},"b":[[],""]}',
];

/** 5 MB in 10,000 objects, indented as the server writes it. */
function listObjects(): string {
  const row = { name: "A product with a name", price: 12.5, tags: ["one", "two"], note: "x".repeat(400) };
  return JSON.stringify(
    Array.from({ length: 10_000 }, (_, id) => ({ id, ...row })),
    null,
    2,
  );
}

/** The value, or where and why there is none. */
function readInSteps(text: string, count: number): unknown {
  const reader = new JsonReader(text);
  try {
    for (;;) {
      const before = reader.position;
      const isComplete = reader.read(count);
      expect(reader.position - before).toBeLessThan(count + MAX_TOKEN);
      if (isComplete) return reader.getValue();
    }
  } catch (error) {
    return describe(error);
  }
}

function readAtOnce(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    return describe(error);
  }
}

function describe(error: unknown): unknown {
  if (!(error instanceof JsonError)) throw error;
  return { reason: error.reason, offset: error.offset, line: error.line, column: error.column };
}

test.each([...BROKEN, ...ODD])("%j is read alike in steps of any length", (text) => {
  for (const count of [1, 2, 3, 7, 100]) {
    expect(readInSteps(text, count)).toEqual(readAtOnce(text));
  }
});

test("any text is read alike in steps and at once, with the same error at the same place", () => {
  const random = chance(11);
  let errorCount = 0;
  for (let round = 0; round < 1500; round += 1) {
    const text = mutateText(JSON.stringify(createRandomValue(random, 4), null, round % 3), random);
    const expected = readAtOnce(text);
    errorCount += expected !== null && typeof expected === "object" && "reason" in expected ? 1 : 0;
    expect(readInSteps(text, 1 + Math.floor(random() * 9)), text).toEqual(expected);
  }
  expect(errorCount).toBeGreaterThan(100);
});

test.each([
  ["10,000 objects", listObjects()],
  ["a line of 2 MB", JSON.stringify("x".repeat(2_000_000))],
  ["a text of escapes", JSON.stringify("\n".repeat(500_000))],
  ["whitespace", `${" ".repeat(1_000_000)}5`],
])("%s: the browser gets a turn after each slice", async (_name, text) => {
  let pauseCount = 0;
  const value = await parseInSlices(text, NEVER, async () => {
    pauseCount += 1;
  });

  expect(pauseCount).toBeGreaterThan(text.length / (SLICE_LENGTH + MAX_TOKEN) - 2);
  expect(isEqual(value, parse(text))).toBe(true);
  readInSteps(text, SLICE_LENGTH);
});

test("an error in the last line of a long text has its line and column", async () => {
  const text = `${listObjects().slice(0, -2)},\n  nul\n]`;

  await expect(parseInSlices(text, NEVER)).rejects.toMatchObject({
    reason: 'expected a value, found "nul"',
    line: text.split("\n").length - 1,
    column: 3,
  });
});

test("once it is aborted, no more is read", async () => {
  const closed = new AbortController();
  let pauseCount = 0;
  const work = parseInSlices(listObjects(), closed.signal, async () => {
    pauseCount += 1;
    if (pauseCount === 3) closed.abort();
  });

  await expect(work).rejects.toThrow("aborted");
  expect(pauseCount).toBe(3);
});

test("other tasks run between two slices", async () => {
  const order: string[] = [];
  const other = new MessageChannel();
  const arrived = new Promise<void>((resolve) => {
    other.port1.onmessage = () => {
      order.push("another task");
      other.port1.close();
      resolve();
    };
  });
  other.port2.postMessage(null);
  await yieldToBrowser();
  order.push("the next slice");
  await arrived;

  expect(order).toEqual(["another task", "the next slice"]);
});
