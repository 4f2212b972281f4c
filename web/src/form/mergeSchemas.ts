/** Merges schemas that must all hold: references and `allOf`. Nothing is ever fetched. */

import { fromPlain, isEqual } from "../json/lossless";
import { isObject, type Schema } from "./keywords";

const MAX_REFERENCES = 40;

/** The schema with references and `allOf` resolved; null if they contradict or cannot be resolved. */
export function mergeSchema(source: Schema, root: Schema, budget = { left: MAX_REFERENCES }): Schema | null {
  const { $ref, allOf, ...own }: Schema = source;
  const parts: unknown[] = Array.isArray(allOf) ? [...allOf] : [];
  if (typeof $ref === "string") {
    parts.unshift(resolveReference($ref, root));
  }
  let inherited: Schema = {};
  for (const part of parts) {
    budget.left -= 1;
    const inner = isObject(part) && budget.left > 0 ? mergeSchema(part, root, budget) : null;
    const both = inner === null ? null : combineSchemas(inherited, inner);
    if (both === null) {
      return null;
    }
    inherited = both;
  }
  const merged = combineSchemas(inherited, own);
  const keys = Object.keys(source);
  const ownFirst = keys.indexOf("properties") < keys.indexOf("allOf");
  return ownFirst && isObject(own.properties) && isObject(merged?.properties)
    ? { ...merged, properties: { ...own.properties, ...merged.properties } }
    : merged;
}

const ANNOTATIONS = new Set(["title", "description", "default", "examples", "$defs", "definitions", "deprecated"]);

/** Combines two schemas that must both hold; null if the same keywords cannot express it. */
export function combineSchemas(inner: Schema, outer: Schema): Schema | null {
  const combined: Record<string, unknown> = { ...inner };
  for (const [key, value] of Object.entries(outer).filter(([name]) => name !== "__proto__")) {
    const before = combined[key];
    if (!Object.hasOwn(combined, key) || ANNOTATIONS.has(key)) {
      combined[key] = value;
    } else if (key === "required" && Array.isArray(before) && Array.isArray(value)) {
      combined[key] = [...new Set([...before, ...value])];
    } else if (key === "properties" && isObject(before) && isObject(value)) {
      combined[key] = combineProperties(before, value);
    } else if (!isEqual(fromPlain(before), fromPlain(value))) {
      return null;
    }
  }
  return combined;
}

function combineProperties(inner: Schema, outer: Schema): Schema {
  const names = new Set([...Object.keys(inner), ...Object.keys(outer)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const parts = [inner, outer].filter((part) => Object.hasOwn(part, name)).map((part) => part[name]);
      return [name, parts.length > 1 ? { allOf: parts } : parts[0]];
    }),
  );
}

/** Resolves a reference within the document; null for any other. */
function resolveReference(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#")) {
    return null;
  }
  let target: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const name = decodePointerStep(step);
    target =
      typeof target === "object" && target !== null && Object.hasOwn(target, name) ? (target as Schema)[name] : null;
  }
  return target;
}

function decodePointerStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}
