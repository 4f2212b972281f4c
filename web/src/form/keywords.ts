/** Reads single keywords of a schema; invalid ones are ignored. */

/** A JSON Schema as `JSON.parse` gives it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The properties of an object schema, in order. */
export function readProperties(schema: Schema): [string, Schema][] {
  const declared = isObject(schema.properties) ? schema.properties : {};
  return Object.entries(declared).map(([name, property]) => [name, toSchema(property)]);
}

export function readRequired(schema: Schema): ReadonlySet<string> {
  return new Set(Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : []);
}

/** The schema of additional keys; null if there are none. */
export function readExtraSchema(schema: Schema): Schema | null {
  const declared = schema.additionalProperties;
  if (declared === true || isObject(declared)) {
    return toSchema(declared);
  }
  const patterns = isObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  if (patterns.length > 0) {
    return patterns.length === 1 ? toSchema(patterns[0]) : {};
  }
  return declared === undefined && !isObject(schema.properties) ? {} : null;
}

/** The schema of an item of a list or tuple; null if there can be no item at this index. */
export function readItemSchema(schema: Schema, index: number): Schema | null {
  const places = toSchemas(schema.prefixItems);
  if (index < places.length) {
    return toSchema(places[index]);
  }
  const most = schema.maxItems;
  if (schema.items === false || isNever(schema.items) || (typeof most === "number" && index >= most)) {
    return null;
  }
  return places.length > 0 && !isObject(schema.items) && schema.items !== true ? null : toSchema(schema.items);
}

function isNever(schema: unknown): boolean {
  return isObject(schema) && isObject(schema.not) && Object.keys(schema.not).length === 0;
}

export function toSchema(declared: unknown): Schema {
  return isObject(declared) ? declared : declared === false ? { not: {} } : {};
}

export function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function toSchemas(value: unknown): Schema[] {
  return Array.isArray(value) ? value.map(toSchema) : [];
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
