import { useRef, useState } from "react";
import { api } from "../api/client";
import type { PendingPause, SessionDetail } from "../api/types";
import { Markdown } from "../markdown/Markdown";
import { ignoreDoubleClick } from "../ui/ignoreDoubleClick";
import { SEND_KEY, useSendKey } from "../ui/keyboard";
import { useAction } from "../ui/useAction";
import { WebAddress } from "../ui/WebAddress";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { AnswerProblem } from "./AnswerProblem";
import { ComposerHeader } from "./ComposerHeader";
import { listCredentialFields } from "./credentialFields";
import { useFirstFieldFocus } from "./useFirstFieldFocus";

/** The credential that a paused agent asks for. What is typed stays in this component: it is no draft, so that the
 * browser does not store it. */
export function CredentialEditor({ session, pause }: { session: SessionDetail; pause: PendingPause }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const { isBusy, error, run } = useAction();
  const problem = session.answer_problem;
  const isBlocked = isBusy || problem !== "";
  const frame = useRef<HTMLDivElement>(null);
  useFirstFieldFocus(frame, pause.request_id);
  const fields = listCredentialFields(pause);
  const filledValues = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  const isComplete =
    Object.keys(filledValues).length > 0 && fields.every(({ name, isRequired }) => !isRequired || filledValues[name]);
  const send = async (value: string | null) => {
    if (isBlocked) return;
    if (await run(() => api.answerRequest(session.session_id, pause.request_id, { value, force: false }))) {
      setValues({});
    }
  };
  const sendFields = () => void (isComplete && send(JSON.stringify(filledValues)));
  useSendKey(sendFields);
  return (
    <div className="composer-frame" ref={frame} tabIndex={-1}>
      <ComposerHeader title="The agent needs a credential">
        {pause.agent_name} has paused until the user signs in: {pause.title}. You answer as the user.
      </ComposerHeader>
      <div className="composer-body scroll">
        <AnswerProblem problem={problem} />
        {pause.message ? <Markdown text={pause.message} /> : null}
        {pause.auth_uri ? (
          <p className="quiet">
            A user would sign in at <WebAddress address={pause.auth_uri} />
          </p>
        ) : null}
        {fields.map(({ name, description, isRequired }) => (
          <div key={name} className="field">
            <label className="field-label" htmlFor={`credential-${name}`}>
              {name}
            </label>
            <input
              id={`credential-${name}`}
              className="input"
              type={name === "username" ? "text" : "password"}
              autoComplete="off"
              spellCheck={false}
              disabled={problem !== ""}
              required={isRequired}
              aria-describedby={`credential-${name}-hint`}
              value={values[name] ?? ""}
              onChange={(event) => setValues((before) => ({ ...before, [name]: event.target.value }))}
            />
            <p id={`credential-${name}-hint`} className="quiet">
              {description}
            </p>
          </div>
        ))}
        <p className="quiet">It is passed on to the agent, and not stored, logged or exported.</p>
      </div>
      <footer className="composer-foot">
        <ActionErrorAlert error={error} />
        <div className="composer-buttons">
          <span className="grow" />
          <button
            type="button"
            className="button"
            disabled={isBlocked}
            onClick={ignoreDoubleClick(() => void send(null))}
          >
            Simulate a signed-in user
          </button>
          <button
            type="button"
            className="button primary"
            disabled={isBlocked || !isComplete}
            onClick={ignoreDoubleClick(sendFields)}
          >
            Send credential
            <kbd>{SEND_KEY}</kbd>
          </button>
        </div>
      </footer>
    </div>
  );
}
