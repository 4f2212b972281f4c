import { expect, test } from "vitest";
import { listCredentialFields } from "./credentialFields";

test("the fields of an auth scheme are those of its schema, in its order", () => {
  const schema = {
    properties: { username: { description: "The user name" }, password: {} },
    required: ["username"],
  };

  expect(listCredentialFields({ response_schema: schema })).toEqual([
    { name: "username", description: "The user name", isRequired: true },
    { name: "password", description: "", isRequired: false },
  ]);
  expect(listCredentialFields({ response_schema: null })).toEqual([]);
});
