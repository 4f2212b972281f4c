import { useRef, useState } from "react";
import { api } from "../api/client";
import { ErrorAlert } from "../ui/ErrorAlert";
import { useAction } from "../ui/useAction";
import { StateFields } from "./StateFields";
import { buildStateText, EMPTY_STATE_DRAFT, removeSent } from "./stateDraft";
import "./sessionstart.css";

/** Sets keys of the state of a session that exists; the edit is a row of its timeline. */
export function StateEditor({
  sessionId,
  neededKeys,
  hasJson = true,
  onDone,
}: {
  sessionId: string;
  neededKeys: readonly string[];
  hasJson?: boolean;
  onDone?: () => void;
}) {
  const [draft, setDraft] = useState(EMPTY_STATE_DRAFT);
  const latest = useRef(draft);
  latest.current = draft;
  const [problem, setProblem] = useState("");
  const { isBusy, error, run } = useAction();
  const save = async () => {
    const built = buildStateText(draft);
    setProblem("problem" in built ? built.problem : "");
    if ("problem" in built) return;
    if (!(await run(() => api.editState(sessionId, built.text)))) return;
    setDraft((now) => removeSent(now, draft));
    // What was typed since is not set yet.
    if (latest.current === draft) onDone?.();
  };
  return (
    <form
      className="state-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <StateFields neededKeys={neededKeys} draft={draft} onDraft={setDraft} hasJson={hasJson} />
      {problem || error ? <ErrorAlert title={problem || (error?.message ?? "")} /> : null}
      <div className="notice-actions">
        <button type="submit" className="button small" disabled={isBusy}>
          Set state
        </button>
        {onDone ? (
          <button type="button" className="button small plain" onClick={onDone}>
            Cancel
          </button>
        ) : null}
      </div>
    </form>
  );
}
