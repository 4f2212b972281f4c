/** Parses JSON, and reports line, column and reason where it cannot. */

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
  return new Parser(text).parseDocument();
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

class Parser {
  private offset = 0;

  constructor(private readonly text: string) {}

  parseDocument(): Json {
    const value = this.parseValue(0);
    this.skipWhitespace();
    if (this.offset < this.text.length) {
      this.fail(`unexpected ${this.describeNext()} after the value`);
    }
    return value;
  }

  private parseValue(depth: number): Json {
    this.skipWhitespace();
    if (depth > MAX_DEPTH) {
      this.fail(`nested deeper than ${MAX_DEPTH} levels`);
    }
    const first = this.text[this.offset];
    switch (first) {
      case "{":
        return this.parseObject(depth);
      case "[":
        return this.parseArray(depth);
      case '"':
        return this.parseString();
      default:
        return this.parseLiteral();
    }
  }

  private parseObject(depth: number): JsonObject {
    const object: JsonObject = new Map();
    this.offset += 1;
    this.skipWhitespace();
    if (this.consume("}")) {
      return object;
    }
    for (;;) {
      this.skipWhitespace();
      if (this.text[this.offset] !== '"') {
        this.fail(`expected a key in double quotes, found ${this.describeNext()}`);
      }
      const key = this.parseString();
      if (object.has(key)) {
        this.fail(`the key ${JSON.stringify(key)} is there twice`);
      }
      this.skipWhitespace();
      if (!this.consume(":")) {
        this.fail(`expected ":" after the key, found ${this.describeNext()}`);
      }
      const value = this.parseValue(depth + 1);
      object.set(key, value);
      this.skipWhitespace();
      if (this.consume("}")) {
        return object;
      }
      if (!this.consume(",")) {
        this.fail(`expected "," or "}", found ${this.describeNext()}`);
      }
    }
  }

  private parseArray(depth: number): Json[] {
    const items: Json[] = [];
    this.offset += 1;
    this.skipWhitespace();
    if (this.consume("]")) {
      return items;
    }
    for (;;) {
      items.push(this.parseValue(depth + 1));
      this.skipWhitespace();
      if (this.consume("]")) {
        return items;
      }
      if (!this.consume(",")) {
        this.fail(`expected "," or "]", found ${this.describeNext()}`);
      }
    }
  }

  private parseString(): string {
    const start = this.offset;
    const parts: string[] = [];
    this.offset += 1;
    for (;;) {
      const plain = this.offset;
      while (isUnescaped(this.text.charCodeAt(this.offset))) {
        this.offset += 1;
      }
      parts.push(this.text.slice(plain, this.offset));
      const next = this.text[this.offset];
      if (next === '"') {
        this.offset += 1;
        return parts.join("");
      }
      if (next === undefined) {
        this.fail('the string that starts here has no closing "', start);
      }
      if (next !== "\\") {
        this.fail(next === "\n" ? "a line break inside a string: write \\n" : "a control character inside a string");
      }
      parts.push(this.parseEscape());
    }
  }

  private parseEscape(): string {
    const letter = this.text[this.offset + 1] ?? "";
    if (letter === "u") {
      const digits = this.text.slice(this.offset + 2, this.offset + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) {
        this.fail("\\u must be followed by four hexadecimal digits");
      }
      this.offset += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const meant = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (meant === undefined) {
      this.fail(`\\${letter} is not an escape sequence: write \\\\ for a backslash`);
    }
    this.offset += 2;
    return meant;
  }

  private parseLiteral(): Json {
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

  private skipWhitespace(): void {
    while (this.offset < this.text.length && " \t\n\r".includes(this.text[this.offset] as string)) {
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
    const before = this.text.slice(0, offset).split("\n");
    throw new JsonError(reason, offset, before.length, (before.at(-1) as string).length + 1);
  }
}
