/** Parses JSON, at once or in slices, and reports line, column and reason where it cannot. */

import { ExactNumber, type Json, type JsonObject } from "./value";

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

const MAX_DEPTH = 400;
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

/** Parses JSON; throws a `JsonError`. An object with a key twice is an error: one of the values would be lost. */
export function parse(text: string): Json {
  const reader = new JsonReader(text);
  reader.read(Number.POSITIVE_INFINITY);
  return reader.getValue();
}

/** Parses a number; null if the text is not a JSON number. */
export function parseNumber(text: string): number | ExactNumber | null {
  NUMBER.lastIndex = 0;
  const match = NUMBER.exec(text)?.[0];
  return match === undefined || match !== text ? null : toNumber(text);
}

function toNumber(text: string): number | ExactNumber {
  const number = Number(text);
  return String(number) === text ? number : new ExactNumber(text);
}

/** Whether a character needs no escape in a string; past the end of the text its code is NaN. */
function isUnescaped(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c;
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

type Container = Json[] | JsonObject;
/** What comes next in the text, after whitespace. */
type Expected = "value" | "first item" | "first key" | "key" | "colon" | "comma" | "end";

/** Parses a text step by step, so that a long one can be parsed in slices. It throws a `JsonError` like `parse`. */
export class JsonReader {
  private offset = 0;
  private expected: Expected = "value";
  /** The arrays and objects around the current offset, outermost first. */
  private readonly containers: Container[] = [];
  /** For each object among them, the key whose value comes next. */
  private readonly keys: string[] = [];
  /** The string that is being read: where it starts, and what was read of it. */
  private string: { readonly start: number; readonly parts: string[] } | null = null;
  private value: Json | undefined;

  constructor(private readonly text: string) {}

  /** How many characters were read. */
  get position(): number {
    return this.offset;
  }

  /**
   * Reads about `count` more characters and returns whether the text is complete. Only a number, a word or an escape
   * sequence that starts before the limit is read beyond it.
   */
  read(count: number): boolean {
    const limit = this.offset + count;
    while (this.offset < limit) {
      if (this.string !== null) {
        this.readString(this.string, limit);
        continue;
      }
      this.skipWhitespace(limit);
      if (this.offset < limit && this.readToken()) {
        return true;
      }
    }
    return false;
  }

  /** The value, once `read` has returned true. */
  getValue(): Json {
    if (this.value === undefined) {
      throw new Error("the text is not read to its end");
    }
    return this.value;
  }

  /** Reads one token, or only what begins a string; returns whether the text is complete. */
  private readToken(): boolean {
    switch (this.expected) {
      case "first item":
        this.expected = "value";
        this.consumeClose("]");
        return false;
      case "first key":
        this.expected = "key";
        this.consumeClose("}");
        return false;
      case "value":
        this.readValue();
        return false;
      case "key":
        if (this.text[this.offset] !== '"') {
          this.fail(`expected a key in double quotes, found ${this.describeNext()}`);
        }
        this.startString();
        return false;
      case "colon":
        if (!this.consume(":")) {
          this.fail(`expected ":" after the key, found ${this.describeNext()}`);
        }
        this.expected = "value";
        return false;
      case "comma":
        this.readComma();
        return false;
      case "end":
        if (this.offset < this.text.length) {
          this.fail(`unexpected ${this.describeNext()} after the value`);
        }
        return true;
    }
  }

  private readValue(): void {
    if (this.containers.length > MAX_DEPTH) {
      this.fail(`nested deeper than ${MAX_DEPTH} levels`);
    }
    switch (this.text[this.offset]) {
      case "{":
        this.openContainer(new Map(), "first key");
        break;
      case "[":
        this.openContainer([], "first item");
        break;
      case '"':
        this.startString();
        break;
      default:
        this.addValue(this.readLiteral());
    }
  }

  private openContainer(container: Container, expected: Expected): void {
    this.containers.push(container);
    this.expected = expected;
    this.offset += 1;
  }

  private readComma(): void {
    const isArray = Array.isArray(this.containers.at(-1));
    const close = isArray ? "]" : "}";
    if (this.consumeClose(close)) {
      return;
    }
    if (!this.consume(",")) {
      this.fail(`expected "," or "${close}", found ${this.describeNext()}`);
    }
    this.expected = isArray ? "value" : "key";
  }

  /** Ends the innermost array or object if its closing bracket is next. */
  private consumeClose(close: string): boolean {
    if (!this.consume(close)) {
      return false;
    }
    this.addValue(this.containers.pop() as Container);
    return true;
  }

  /** Puts a complete value where it belongs. */
  private addValue(value: Json): void {
    const container = this.containers.at(-1);
    this.expected = container === undefined ? "end" : "comma";
    if (container === undefined) {
      this.value = value;
    } else if (Array.isArray(container)) {
      container.push(value);
    } else {
      container.set(this.keys.pop() as string, value);
    }
  }

  private addString(text: string): void {
    if (this.expected === "key") {
      this.addKey(text);
    } else {
      this.addValue(text);
    }
  }

  private addKey(key: string): void {
    if ((this.containers.at(-1) as JsonObject).has(key)) {
      this.fail(`duplicate key ${JSON.stringify(key)}`);
    }
    this.keys.push(key);
    this.expected = "colon";
  }

  private startString(): void {
    this.string = { start: this.offset, parts: [] };
    this.offset += 1;
  }

  /** Reads the current string up to its end or up to the limit. */
  private readString({ start, parts }: { start: number; parts: string[] }, limit: number): void {
    while (this.offset < limit) {
      const plain = this.offset;
      while (this.offset < limit && isUnescaped(this.text.charCodeAt(this.offset))) {
        this.offset += 1;
      }
      parts.push(this.text.slice(plain, this.offset));
      if (this.offset === limit) {
        return;
      }
      const next = this.text[this.offset];
      if (next === '"') {
        this.offset += 1;
        this.string = null;
        this.addString(parts.join(""));
        return;
      }
      if (next === undefined) {
        this.fail('the string that starts here has no closing "', start);
      }
      if (next !== "\\") {
        this.fail(next === "\n" ? "a line break inside a string: write \\n" : "a control character inside a string");
      }
      parts.push(this.readEscape());
    }
  }

  private readEscape(): string {
    const letter = this.text[this.offset + 1] ?? "";
    if (letter === "u") {
      const digits = this.text.slice(this.offset + 2, this.offset + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) {
        this.fail("\\u must be followed by four hexadecimal digits");
      }
      this.offset += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (character === undefined) {
      this.fail(`\\${letter} is not an escape sequence: write \\\\ for a backslash`);
    }
    this.offset += 2;
    return character;
  }

  private readLiteral(): Json {
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (this.text.startsWith(word, this.offset)) {
        this.offset += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.offset;
    const number = NUMBER.exec(this.text)?.[0];
    if (number === undefined) {
      this.fail(`expected a value, found ${this.describeNext()}`);
    }
    this.offset += number.length;
    return toNumber(number);
  }

  private skipWhitespace(limit: number): void {
    while (this.offset < limit && isWhitespace(this.text.charCodeAt(this.offset))) {
      this.offset += 1;
    }
  }

  private consume(mark: string): boolean {
    if (this.text[this.offset] !== mark) {
      return false;
    }
    this.offset += 1;
    return true;
  }

  private describeNext(): string {
    const point = this.text.codePointAt(this.offset);
    if (point === undefined) {
      return "the end";
    }
    const word = /^[\w.+-]{1,20}/.exec(this.text.slice(this.offset, this.offset + 20))?.[0];
    return JSON.stringify(word ?? String.fromCodePoint(point));
  }

  private fail(reason: string, offset = this.offset): never {
    let line = 1;
    let lineStart = 0;
    for (let end = this.text.indexOf("\n"); end !== -1 && end < offset; end = this.text.indexOf("\n", lineStart)) {
      line += 1;
      lineStart = end + 1;
    }
    throw new JsonError(reason, offset, line, offset - lineStart + 1);
  }
}
