import { useEffect, useRef } from "react";
import { api } from "../api/client";
import type { ConfirmationShape, SessionShape } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { parse } from "../json/lossless";
import { useAction } from "../ui/action";
import { Markdown } from "../ui/Markdown";
import { ComposerHead } from "./ComposerHead";
import type { Drafts, SetDrafts } from "./drafts";
import { TroubleNotice } from "./TroubleNotice";

/** A call that needs the user's consent. */
export function ConsentEditor({
  session,
  question,
  drafts,
  setDrafts,
}: {
  session: SessionShape;
  question: ConfirmationShape;
  drafts: Drafts;
  setDrafts: SetDrafts;
}) {
  const { busy, trouble, run } = useAction();
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) frame.current?.focus();
  }, []);
  const wanted = question.payload != null;
  const typed = drafts.consent || (question.payload ?? "");
  const unread = wanted ? unreadable(typed) : "";
  const answer = async (approve: boolean) => {
    const payload = approve && wanted ? typed : null;
    const consent = { question_id: question.question_id, approve, payload };
    if (await run(() => api.consent(session.session_id, consent))) setDrafts({ consent: "" });
  };
  return (
    <div className="composer-frame" ref={frame} tabIndex={-1}>
      <ComposerHead title="Approve this call?">
        The tool asks the user before it runs. You answer as the user.
      </ComposerHead>
      <div className="composer-body scroll">
        <b className="mono">{question.tool_name}</b>
        <JsonTextTree text={question.arguments} />
        {question.hint ? <Markdown text={question.hint} /> : null}
        {wanted ? (
          <>
            <label className="field-label" htmlFor="consent-payload">
              What the tool wants to be told
            </label>
            <textarea
              id="consent-payload"
              className="input mono"
              rows={6}
              value={typed}
              aria-invalid={Boolean(unread)}
              onChange={(event) => setDrafts({ consent: event.target.value })}
            />
            {unread ? <p className="problem-count">{unread}</p> : null}
          </>
        ) : null}
        <TroubleNotice trouble={trouble} />
      </div>
      <footer className="composer-foot">
        <div className="composer-buttons">
          <span className="grow" />
          <button type="button" className="button" disabled={busy} onClick={() => void answer(false)}>
            Deny
          </button>
          <button
            type="button"
            className="button primary"
            disabled={busy || Boolean(unread)}
            onClick={() => void answer(true)}
          >
            Approve
          </button>
        </div>
      </footer>
    </div>
  );
}

function unreadable(text: string): string {
  try {
    parse(text);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
