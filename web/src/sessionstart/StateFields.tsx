import { useId } from "react";
import type { StateDraft } from "./stateDraft";

/** Fields for keys of the session state: one for each needed key, and JSON for all others. */
export function StateFields({
  neededKeys,
  draft,
  onDraft,
  hasJson = true,
}: {
  neededKeys: readonly string[];
  draft: StateDraft;
  onDraft: (draft: StateDraft) => void;
  /** Whether other keys can be set too. */
  hasJson?: boolean;
}) {
  const id = useId();
  return (
    <>
      {neededKeys.map((key) => (
        <label key={key} className="state-field">
          <code>{key}</code>
          <input
            className="input mono"
            spellCheck={false}
            placeholder="text or JSON"
            value={draft.values[key] ?? ""}
            onChange={(event) => onDraft({ ...draft, values: { ...draft.values, [key]: event.target.value } })}
          />
        </label>
      ))}
      {hasJson ? (
        <label className="state-field" htmlFor={id}>
          <span className="quiet">{neededKeys.length ? "Other keys, as JSON" : "State, as JSON"}</span>
          <textarea
            id={id}
            className="input mono"
            rows={4}
            spellCheck={false}
            placeholder={'{"mood": "calm"}'}
            value={draft.json}
            onChange={(event) => onDraft({ ...draft, json: event.target.value })}
          />
        </label>
      ) : null}
    </>
  );
}
