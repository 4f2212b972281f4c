import { useState } from "react";
import type { AgentInfo } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { StateFields } from "./StateFields";
import { loadSessionStart, storeSessionStart } from "./sessionStart";
import { buildStateText, createStateDraft } from "./stateDraft";
import "./sessionstart.css";

/** The state and the user that new sessions of an agent begin with; they are remembered in this browser. */
export function SessionStartDialog({
  agent,
  onStart,
  onClose,
}: {
  agent: AgentInfo;
  onStart: () => void;
  onClose: () => void;
}) {
  const [remembered] = useState(() => loadSessionStart(agent.key));
  const [userId, setUserId] = useState(remembered.userId);
  const [draft, setDraft] = useState(() => createStateDraft(remembered.state, agent.state_keys));
  const [problem, setProblem] = useState("");
  const start = () => {
    const built = buildStateText(draft);
    setProblem("problem" in built ? built.problem : "");
    if ("problem" in built) return;
    storeSessionStart(agent.key, { userId: userId.trim(), state: built.text === "{}" ? "" : built.text });
    onClose();
    onStart();
  };
  return (
    <Dialog
      title={`New session of ${agent.name}`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" className="button primary" onClick={start}>
            Start session
          </button>
        </>
      }
    >
      <label className="state-field">
        <span className="quiet">User id</span>
        <input
          className="input mono"
          spellCheck={false}
          maxLength={200}
          placeholder="user"
          value={userId}
          onChange={(event) => setUserId(event.target.value)}
        />
      </label>
      <StateFields neededKeys={agent.state_keys} draft={draft} onDraft={setDraft} />
      {problem ? <ErrorAlert title={problem} /> : null}
      <p className="quiet">Sessions of this agent that you start in this browser begin like this from now on.</p>
    </Dialog>
  );
}
