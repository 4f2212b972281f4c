import { expect, test } from "vitest";
import { renderHook } from "../testing/renderHook";
import { type Drafts, EMPTY_TURN } from "./drafts";
import { useSuggestion } from "./useSuggestion";

const SUGGESTION = { calls: [{ name: "add", arguments: "{}" }], text: "" };

/** Asks the model in a turn in which something was entered or not; returns what is pending, and what was changed. */
function suggest(hasInput: boolean) {
  const drafts: Drafts = {
    ...EMPTY_TURN,
    ...{
      message: "",
      messageForm: null,
      consent: "",
      consentQuestion: "",
      toolDraft: null,
      inputDraft: null,
      sentResponse: null,
      typedAhead: "",
    },
  };
  const changes: unknown[] = [];
  const setDrafts = (change: unknown) => changes.push(change);
  const { pending } = renderHook(
    () => useSuggestion({ turnId: "t1", drafts, setDrafts, hasInput, hasResponseForm: false }),
    (suggestion) => suggestion.expect()(SUGGESTION),
  );
  return { pending, changes };
}

test("a suggestion is used at once where nothing was entered, and offered where it would replace something", () => {
  expect(suggest(false)).toMatchObject({ pending: null, changes: [{ tool: "add" }] });
  expect(suggest(true)).toEqual({ pending: SUGGESTION, changes: [] });
});
