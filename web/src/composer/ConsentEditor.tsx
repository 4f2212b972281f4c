import { useRef } from "react";
import { api } from "../api/client";
import type { PendingConfirmation, SessionDetail } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { parse } from "../json/lossless";
import { Markdown } from "../markdown/Markdown";
import { ignoreDoubleClick } from "../ui/ignoreDoubleClick";
import { useAction } from "../ui/useAction";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { AnswerProblem } from "./AnswerProblem";
import { ComposerHeader } from "./ComposerHeader";
import type { Drafts, SetDrafts } from "./drafts";
import { useFirstFieldFocus } from "./useFirstFieldFocus";

/** A call that needs the user's consent. */
export function ConsentEditor({
  session,
  question,
  drafts,
  setDrafts,
}: {
  session: SessionDetail;
  question: PendingConfirmation;
  drafts: Drafts;
  setDrafts: SetDrafts;
}) {
  const { isBusy, error, run } = useAction();
  const problem = session.answer_problem;
  const isBlocked = isBusy || problem !== "";
  const frame = useRef<HTMLDivElement>(null);
  useFirstFieldFocus(frame, question.question_id);
  const hasPayload = question.payload != null;
  const { question_id: questionId } = question;
  // Without the id of its question, it is of an earlier version.
  const isOwn = drafts.consentQuestion === questionId || drafts.consentQuestion === "";
  const payloadText = (isOwn && drafts.consent) || (question.payload ?? "");
  const parseError = hasPayload ? findJsonError(payloadText) : "";
  const sendConsent = async (approve: boolean) => {
    const payload = approve && hasPayload ? payloadText : null;
    const confirmation = { question_id: questionId, approve, payload };
    if (!(await run(() => api.answerConfirmation(session.session_id, confirmation)))) return;
    // The next question may be there already, with a payload that was changed since.
    setDrafts(({ consentQuestion: id }) => (id && id !== questionId ? {} : { consent: "", consentQuestion: "" }));
  };
  return (
    <div className="composer-frame" ref={frame} tabIndex={-1}>
      <ComposerHeader title="Approve this call?">
        The tool asks the user before it runs. You answer as the user.
      </ComposerHeader>
      <div className="composer-body scroll">
        <AnswerProblem problem={problem} />
        <b className="mono">{question.tool_name}</b>
        <JsonTextTree text={question.arguments} />
        {question.hint ? <Markdown text={question.hint} /> : null}
        {hasPayload ? (
          <>
            <label className="field-label" htmlFor="consent-payload">
              Payload for the tool
            </label>
            <textarea
              id="consent-payload"
              className="input mono"
              rows={6}
              disabled={problem !== ""}
              value={payloadText}
              aria-invalid={Boolean(parseError)}
              onChange={(event) => setDrafts({ consent: event.target.value, consentQuestion: questionId })}
            />
            {parseError ? <p className="problem-count">{parseError}</p> : null}
          </>
        ) : null}
        <ActionErrorAlert error={error} />
      </div>
      <footer className="composer-foot">
        <div className="composer-buttons">
          <span className="grow" />
          <button
            type="button"
            className="button"
            disabled={isBlocked}
            onClick={ignoreDoubleClick(() => void sendConsent(false))}
          >
            Deny
          </button>
          <button
            type="button"
            className="button primary"
            disabled={isBlocked || Boolean(parseError)}
            onClick={ignoreDoubleClick(() => void sendConsent(true))}
          >
            Approve
          </button>
        </div>
      </footer>
    </div>
  );
}

function findJsonError(text: string): string {
  try {
    parse(text);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
