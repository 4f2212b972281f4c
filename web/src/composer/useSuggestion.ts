import { useEffect, useRef, useState } from "react";
import type { Suggestion } from "../api/types";
import { useAction } from "../ui/useAction";
import type { Drafts, SetDrafts } from "./drafts";
import { draftSuggestion } from "./turnDraft";

/** What the agent's own model suggests. It never overwrites what a person has entered: then it is offered instead. */
export function useSuggestion({
  turnId,
  drafts,
  setDrafts,
  hasInput,
  hasResponseForm,
}: {
  turnId: string;
  drafts: Drafts;
  setDrafts: SetDrafts;
  /** Whether anything was entered for this turn. */
  hasInput: boolean;
  hasResponseForm: boolean;
}) {
  const request = useAction();
  const [pending, setPending] = useState<Suggestion | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a suggestion is for one turn
  useEffect(() => setPending(null), [turnId]);

  const latest = useRef({ turnId, text: "", hasInput });
  latest.current = { turnId, text: JSON.stringify(drafts), hasInput };
  const apply = (suggestion: Suggestion) => {
    setPending(null);
    setDrafts(draftSuggestion(suggestion, hasResponseForm));
  };
  return {
    request,
    pending,
    apply,
    dismiss: () => setPending(null),
    /** Call this when the model is asked, and what it returns with the model's suggestion. */
    expect: () => {
      const inputBefore = latest.current;
      return (suggestion: Suggestion) => {
        if (latest.current.turnId !== inputBefore.turnId) return;
        if (latest.current.text === inputBefore.text && !inputBefore.hasInput) apply(suggestion);
        else setPending(suggestion);
      };
    },
  };
}
