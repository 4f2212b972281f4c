import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import corpus from "./corpus.json";
import { createDraft, draftFromJson, type FormDraft, toRawJson } from "./draft";
import type { Schema } from "./keywords";
import { SchemaForm } from "./SchemaForm";

const CASES = corpus as unknown as { name: string; schema: Schema; good: string[] }[];
const DRAFTS = CASES.flatMap(({ name, schema, good }) =>
  [createDraft(schema), ...good.map(draftFromJson)].map((draft, index) => ({ name, schema, draft, index })),
);

function render(schema: Schema, draft: FormDraft, problems: { path: string; message: string }[] = []): string {
  return renderToStaticMarkup(
    <SchemaForm schema={schema} draft={draft} onDraft={() => {}} problems={problems} showAll idPrefix="f" />,
  );
}

test.each(DRAFTS)("$name ($index): every control has a name, and no style is inline", ({ schema, draft }) => {
  const page = render(schema, draft);
  const labels = new Set([...page.matchAll(/<label [^>]*for="([^"]*)"/g)].map((found) => found[1]));
  const controls = [...page.matchAll(/<(?:input|textarea|select) [^>]*>/g)].map((found) => found[0]);

  for (const control of controls.filter((one) => !/aria-hidden|type="radio"/.test(one))) {
    const id = /id="([^"]*)"/.exec(control)?.[1];
    expect(control.includes("aria-label=") || labels.has(id), control).toBe(true);
  }
  expect(page).not.toContain("style=");
});

test.each(DRAFTS)("$name ($index): no button is only a pair of quotes or braces", ({ schema, draft }) => {
  const buttons = [...render(schema, draft).matchAll(/<button [^>]*>(.*?)<\/button>/g)].map((found) => found[1]);

  expect(buttons.filter((label) => /^(&quot;|['"{}[\]\s])+$/.test(label ?? ""))).toEqual([]);
});

test("a problem stands at its field, which says that it is wrong", () => {
  const schema = { type: "object", properties: { list: { type: "array", items: { type: "integer" } } } };
  const page = render(schema, draftFromJson('{"list":[1]}'), [{ path: "list[0]", message: "must be even" }]);

  expect(page).toContain("must be even");
  expect(page).toMatch(
    /<input id="f\/list\/0#control"[^>]*aria-describedby="[^"]*f\/list\/0#problem"[^>]*aria-invalid="true"/,
  );
});

test("text from a schema is text", () => {
  const schema = {
    type: "object",
    properties: { "<b>": { type: "string", description: "<img src=x onerror=alert(1)>" } },
  };

  expect(render(schema, createDraft(schema))).not.toMatch(/<b>|<img/);
});

test("a schema that is no object as a whole has a form too", () => {
  const either = {
    anyOf: [
      { title: "One", type: "object" },
      { title: "Two", type: "object" },
    ],
  };

  expect(render(either, createDraft(either))).toMatch(/<select aria-label="value: variant".*One.*Two/);
  expect(render({ type: "string" }, createDraft({ type: "string" }))).toMatch(/<textarea[^>]*aria-label="value"/);
  expect(render({ type: "array" }, createDraft({ type: "array" }))).toContain("+ item");
});

test("a description stands at its field, and once above a list rather than at each item", () => {
  const schema = {
    type: "array",
    description: "The lines",
    items: { type: "object", description: "One line", properties: {} },
  };

  expect(render(schema, draftFromJson("[{},{}]")).match(/One line|The lines/g)).toEqual(["The lines", "One line"]);
  expect(render({ type: "string", description: "The answer" }, createDraft({}))).toContain("The answer");
});

test("the description of a map's values stands once at the map, and those of a tuple's items at each of them", () => {
  const map = { type: "object", additionalProperties: { type: "integer", description: "How many" } };
  const pair = { type: "array", prefixItems: [{ type: "number", description: "North" }, { description: "East" }] };
  const within = (inner: Schema) => ({ type: "object", properties: { inner } });

  expect(render(within(map), draftFromJson('{"inner":{"a":1,"b":2}}')).match(/Each value: How many/g)).toHaveLength(1);
  expect(render(map, draftFromJson('{"a":1,"b":2}')).match(/Each value: How many/g)).toHaveLength(1);
  expect(render(within(pair), draftFromJson('{"inner":[1,2]}')).match(/North|East/g)).toEqual(["North", "East"]);
});

test("the description of a list's items stands at a list that is one variant of a union", () => {
  const schema = { anyOf: [{ type: "array", items: { type: "string", description: "A name" } }, { type: "integer" }] };

  expect(render(schema, draftFromJson('["Ada","Bea"]')).match(/Each item: A name/g)).toHaveLength(1);
});

test("the whole as JSON is one labelled text", () => {
  expect(render({}, toRawJson(draftFromJson("[1]")))).toMatch(/<textarea[^>]*aria-label="JSON"/);
});

test("a schema that allows anything is one JSON field, without a second way to edit it as JSON", () => {
  expect(render({}, createDraft({}))).not.toContain("Edit as JSON");
  expect(render({ type: "string" }, createDraft({}))).toContain("Edit as JSON");
});

test("a value that no widget can show, and one that is too deep or too long, is edited as JSON", () => {
  const numbers = { type: "array", items: { type: "integer" } };
  const tree = { $defs: { A: { type: "array", items: { $ref: "#/$defs/A" } } }, $ref: "#/$defs/A" };

  expect(render({ type: "integer" }, draftFromJson("[1]"))).toContain("<textarea");
  expect(render(numbers, draftFromJson(JSON.stringify(Array(5000).fill(1)))).match(/<input/g)).toBeNull();
  const open = Object.fromEntries(Array.from({ length: 30 }, (_, depth) => ["/0".repeat(depth), true]));
  const deep = { ...draftFromJson(`${"[".repeat(100)}${"]".repeat(100)}`), open };
  expect(render(tree, deep).match(/<textarea/g)).toHaveLength(1);
});
