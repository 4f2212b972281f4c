/** Reads JSON texts, and says in plain words where one cannot be read. */

import { type Json, type JsonObject, Num } from "./value";

/** Why a text is not JSON, and where. Lines and columns count from 1. */
export class JsonError extends Error {
  constructor(
    readonly reason: string,
    readonly offset: number,
    readonly line: number,
    readonly column: number,
  ) {
    super(`line ${line}, column ${column}: ${reason}`);
  }
}

const DEEPEST = 400;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Reads a JSON text; throws a `JsonError`. Of a key that occurs twice the last one wins. */
export function parse(text: string): Json {
  return new Reader(text).whole();
}

/** A number from its text, or null if JSON does not write numbers so. */
export function readNumber(text: string): number | Num | null {
  NUMBER.lastIndex = 0;
  const found = NUMBER.exec(text)?.[0];
  return found === undefined || found !== text ? null : numberOf(text);
}

function numberOf(text: string): number | Num {
  const number = Number(text);
  return String(number) === text ? number : new Num(text);
}

/** Whether a character stands for itself in a text; at the end of the text its code is NaN. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c;
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  whole(): Json {
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) {
      this.fail(`${this.here()} is left over after the value`);
    }
    return value;
  }

  private value(depth: number): Json {
    this.space();
    if (depth > DEEPEST) {
      this.fail(`nested deeper than ${DEEPEST} levels`);
    }
    const first = this.text[this.at];
    switch (first) {
      case "{":
        return this.object(depth);
      case "[":
        return this.list(depth);
      case '"':
        return this.string();
      default:
        return this.word();
    }
  }

  private object(depth: number): JsonObject {
    const found: JsonObject = new Map();
    this.at += 1;
    this.space();
    if (this.takes("}")) {
      return found;
    }
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') {
        this.fail(`expected a key in double quotes, found ${this.here()}`);
      }
      const key = this.string();
      this.space();
      if (!this.takes(":")) {
        this.fail(`expected ":" after the key, found ${this.here()}`);
      }
      const value = this.value(depth + 1);
      found.delete(key);
      found.set(key, value);
      this.space();
      if (this.takes("}")) {
        return found;
      }
      if (!this.takes(",")) {
        this.fail(`expected "," or "}", found ${this.here()}`);
      }
    }
  }

  private list(depth: number): Json[] {
    const found: Json[] = [];
    this.at += 1;
    this.space();
    if (this.takes("]")) {
      return found;
    }
    for (;;) {
      found.push(this.value(depth + 1));
      this.space();
      if (this.takes("]")) {
        return found;
      }
      if (!this.takes(",")) {
        this.fail(`expected "," or "]", found ${this.here()}`);
      }
    }
  }

  private string(): string {
    const start = this.at;
    const parts: string[] = [];
    this.at += 1;
    for (;;) {
      const plain = this.at;
      while (isPlain(this.text.charCodeAt(this.at))) {
        this.at += 1;
      }
      parts.push(this.text.slice(plain, this.at));
      const next = this.text[this.at];
      if (next === '"') {
        this.at += 1;
        return parts.join("");
      }
      if (next === undefined) {
        this.fail('the text that begins here has no closing "', start);
      }
      if (next !== "\\") {
        this.fail(next === "\n" ? "a line break inside a text: write \\n" : "a control character inside a text");
      }
      parts.push(this.escape());
    }
  }

  private escape(): string {
    const letter = this.text[this.at + 1] ?? "";
    if (letter === "u") {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) {
        this.fail("\\u must be followed by four hexadecimal digits");
      }
      this.at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const meant = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (meant === undefined) {
      this.fail(`\\${letter} means nothing: write \\\\ for a backslash`);
    }
    this.at += 2;
    return meant;
  }

  private word(): Json {
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.at;
    const number = NUMBER.exec(this.text)?.[0];
    if (number === undefined) {
      this.fail(`expected a value, found ${this.here()}`);
    }
    this.at += number.length;
    return numberOf(number);
  }

  private space(): void {
    while (this.at < this.text.length && " \t\n\r".includes(this.text[this.at] as string)) {
      this.at += 1;
    }
  }

  private takes(mark: string): boolean {
    if (this.text[this.at] !== mark) {
      return false;
    }
    this.at += 1;
    return true;
  }

  private here(): string {
    const point = this.text.codePointAt(this.at);
    if (point === undefined) {
      return "the end";
    }
    const word = /^[\w.+-]{1,20}/.exec(this.text.slice(this.at, this.at + 20))?.[0];
    return JSON.stringify(word ?? String.fromCodePoint(point));
  }

  private fail(reason: string, offset = this.at): never {
    const before = this.text.slice(0, offset).split("\n");
    throw new JsonError(reason, offset, before.length, (before.at(-1) as string).length + 1);
  }
}
