import type { PendingPause } from "../api/types";

/** A field of an auth scheme. */
export interface CredentialField {
  name: string;
  description: string;
  isRequired: boolean;
}

/** The fields of the auth scheme that a request names. */
export function listCredentialFields({
  response_schema: schema,
}: Pick<PendingPause, "response_schema">): CredentialField[] {
  const required = (schema?.required ?? []) as string[];
  const properties = (schema?.properties ?? {}) as Record<string, { description?: string }>;
  return Object.entries(properties).map(([name, { description }]) => ({
    name,
    description: description ?? "",
    isRequired: required.includes(name),
  }));
}
