type Schema = Record<string, unknown>;

/** A schema's type in a word or two: `integer`, `list of string`, `json or xml`. */
export function describeSchemaType(schema: Schema): string {
  const variants = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (Array.isArray(variants)) return [...new Set(variants.map(describeSchemaType))].join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => String(value)).join(" or ");
  if (typeof schema.$ref === "string") return schema.$ref.split("/").at(-1) ?? "object";
  if (schema.type === "array")
    return `list of ${schema.items ? describeSchemaType(schema.items as Schema) : "anything"}`;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (typeof schema.type === "string")
    return typeof schema.title === "string" && schema.properties ? schema.title : schema.type;
  return "anything";
}
