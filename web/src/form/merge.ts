/** One schema out of several that must all hold: references and `allOf`. Nothing is ever fetched. */

import { fromPlain, same } from "../json/lossless";
import { isObject, type Schema } from "./keywords";

const MOST_REFERENCES = 40;

/** The schema with references followed and `allOf` folded in; null if they contradict or lead nowhere. */
export function merged(stated: Schema, root: Schema, budget = { left: MOST_REFERENCES }): Schema | null {
  const { $ref, allOf, ...own }: Schema = stated;
  const parts: unknown[] = Array.isArray(allOf) ? [...allOf] : [];
  if (typeof $ref === "string") {
    parts.unshift(target($ref, root));
  }
  let found: Schema = {};
  for (const part of parts) {
    budget.left -= 1;
    const inner = isObject(part) && budget.left > 0 ? merged(part, root, budget) : null;
    const both = inner === null ? null : together(found, inner);
    if (both === null) {
      return null;
    }
    found = both;
  }
  const whole = together(found, own);
  const keys = Object.keys(stated);
  const ownFirst = keys.indexOf("properties") < keys.indexOf("allOf");
  return ownFirst && isObject(own.properties) && isObject(whole?.properties)
    ? { ...whole, properties: { ...own.properties, ...whole.properties } }
    : whole;
}

const ABOUT = new Set(["title", "description", "default", "examples", "$defs", "definitions", "deprecated"]);

/** Two schemas that must both hold, as one; null if it cannot be said with the same keywords. */
export function together(inner: Schema, outer: Schema): Schema | null {
  const found: Record<string, unknown> = { ...inner };
  for (const [key, value] of Object.entries(outer).filter(([name]) => name !== "__proto__")) {
    const before = found[key];
    if (!Object.hasOwn(found, key) || ABOUT.has(key)) {
      found[key] = value;
    } else if (key === "required" && Array.isArray(before) && Array.isArray(value)) {
      found[key] = [...new Set([...before, ...value])];
    } else if (key === "properties" && isObject(before) && isObject(value)) {
      found[key] = bothProperties(before, value);
    } else if (!same(fromPlain(before), fromPlain(value))) {
      return null;
    }
  }
  return found;
}

function bothProperties(inner: Schema, outer: Schema): Schema {
  const names = new Set([...Object.keys(inner), ...Object.keys(outer)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const parts = [inner, outer].filter((one) => Object.hasOwn(one, name)).map((one) => one[name]);
      return [name, parts.length > 1 ? { allOf: parts } : parts[0]];
    }),
  );
}

/** Where a reference points to; only into the document itself. */
function target(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#")) {
    return null;
  }
  let found: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const name = unescaped(step);
    found = typeof found === "object" && found !== null && Object.hasOwn(found, name) ? (found as Schema)[name] : null;
  }
  return found;
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}
