import { useEffect, useRef, useState } from "react";
import type { Suggestion } from "../api/types";
import { useAction } from "../ui/useAction";
import type { Drafts, SetDrafts } from "./drafts";
import { draftSuggestion } from "./turnDraft";

/** What the agent's own model suggests. It never overwrites what was typed meanwhile: then it is offered instead. */
export function useSuggestion(turnId: string, drafts: Drafts, setDrafts: SetDrafts, hasResponseForm: boolean) {
  const request = useAction();
  const [pending, setPending] = useState<Suggestion | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a suggestion is for one turn
  useEffect(() => setPending(null), [turnId]);

  const latest = useRef({ turnId, text: "" });
  latest.current = { turnId, text: JSON.stringify(drafts) };
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
      const asked = latest.current;
      return (suggestion: Suggestion) => {
        if (latest.current.turnId !== asked.turnId) return;
        if (latest.current.text === asked.text) apply(suggestion);
        else setPending(suggestion);
      };
    },
  };
}
