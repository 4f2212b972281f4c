import type { ReactNode, RefObject } from "react";
import type { PendingPause, SessionDetail } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { Markdown } from "../markdown/Markdown";
import { ignoreDoubleClick } from "../ui/ignoreDoubleClick";
import { SEND_KEY, useSendKey } from "../ui/keyboard";
import { AnswerProblem } from "./AnswerProblem";
import { ComposerHeader } from "./ComposerHeader";
import type { Drafts, SetDrafts } from "./drafts";
import { useFirstFieldFocus } from "./useFirstFieldFocus";

/** What the editors of input are given. */
export interface InputEditorProps {
  session: SessionDetail;
  pause: PendingPause;
  drafts: Drafts;
  setDrafts: SetDrafts;
}

/** What a paused agent asks for, with a field or a form for it and the button that sends it. */
export function InputFrame({
  session,
  pause,
  frame,
  isDisabled,
  onSend,
  alert,
  problemCount,
  children,
}: {
  session: SessionDetail;
  pause: PendingPause;
  frame: RefObject<HTMLDivElement | null>;
  isDisabled: boolean;
  onSend: () => void;
  alert: ReactNode;
  problemCount?: ReactNode;
  children: ReactNode;
}) {
  const problem = session.answer_problem;
  const isBlocked = isDisabled || problem !== "";
  useSendKey(() => void (isBlocked || onSend()));
  useFirstFieldFocus(frame, pause.request_id);
  return (
    <div className="composer-frame" ref={frame} tabIndex={-1}>
      <ComposerHeader title="Input for the agent">
        {pause.agent_name} has paused. You answer as the user.
      </ComposerHeader>
      <div className="composer-body scroll">
        <AnswerProblem problem={problem} />
        {pause.message ? <Markdown text={pause.message} /> : null}
        {pause.payload != null ? <JsonTextTree text={pause.payload} /> : null}
        <fieldset className="bare" disabled={problem !== ""}>
          {children}
        </fieldset>
      </div>
      <footer className="composer-foot">
        {alert}
        <div className="composer-buttons">
          {problemCount}
          <span className="grow" />
          <button type="button" className="button primary" disabled={isBlocked} onClick={ignoreDoubleClick(onSend)}>
            Send input
            <kbd>{SEND_KEY}</kbd>
          </button>
        </div>
      </footer>
    </div>
  );
}
