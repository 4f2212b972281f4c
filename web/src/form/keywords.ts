/** Reads single keywords of a schema; what makes no sense is as if it were not there. */

/** A JSON Schema as `JSON.parse` gives it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The fields that an object's schema names, in its order. */
export function propertiesOf(schema: Schema): [string, Schema][] {
  const stated = isObject(schema.properties) ? schema.properties : {};
  return Object.entries(stated).map(([name, one]) => [name, schemaOf(one)]);
}

export function requiredOf(schema: Schema): ReadonlySet<string> {
  return new Set(Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : []);
}

/** What a key that the schema does not name may hold; null if the schema does not invite further keys. */
export function extraOf(schema: Schema): Schema | null {
  const stated = schema.additionalProperties;
  if (stated === true || isObject(stated)) {
    return schemaOf(stated);
  }
  const patterns = isObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  if (patterns.length > 0) {
    return patterns.length === 1 ? schemaOf(patterns[0]) : {};
  }
  return stated === undefined && !isObject(schema.properties) ? {} : null;
}

/** What an item of a list or tuple must be; null if there can be none at this place. */
export function itemOf(schema: Schema, index: number): Schema | null {
  const places = listOf(schema.prefixItems);
  if (index < places.length) {
    return schemaOf(places[index]);
  }
  const most = schema.maxItems;
  if (schema.items === false || isNever(schema.items) || (typeof most === "number" && index >= most)) {
    return null;
  }
  return places.length > 0 && !isObject(schema.items) && schema.items !== true ? null : schemaOf(schema.items);
}

function isNever(schema: unknown): boolean {
  return isObject(schema) && isObject(schema.not) && Object.keys(schema.not).length === 0;
}

export function schemaOf(stated: unknown): Schema {
  return isObject(stated) ? stated : stated === false ? { not: {} } : {};
}

export function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): Schema[] {
  return Array.isArray(value) ? value.map(schemaOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
