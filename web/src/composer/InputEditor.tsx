import { useRef } from "react";
import { api } from "../api/client";
import type { PendingPause, SessionInfo } from "../api/types";
import { type FormDraft, type Schema, SchemaForm, serializeDraft } from "../form";
import { JsonTextTree } from "../json/JsonTree";
import { Markdown } from "../markdown/Markdown";
import { SEND_KEY, useSendKey } from "../ui/keyboard";
import { onPress } from "../ui/press";
import { useAction } from "../ui/useAction";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { ComposerHeader } from "./ComposerHeader";
import { type Drafts, readFormJson, restoreForm, type SetDrafts } from "./drafts";
import { ProblemCount } from "./ProblemCount";
import { uniqueProblems } from "./turnDraft";
import { useFirstFieldFocus } from "./useFirstFieldFocus";
import { filterVisibleProblems, useFormCheck } from "./useFormCheck";
import { useWasRejected } from "./useWasRejected";

const ANYTHING: Schema = {};

/** What a paused agent asks the user for: a form by the schema of the request. */
export function InputEditor({
  session,
  pause,
  drafts,
  setDrafts,
}: {
  session: SessionInfo;
  pause: PendingPause;
  drafts: Drafts;
  setDrafts: SetDrafts;
}) {
  const { request_id: requestId } = pause;
  const schema = (pause.response_schema as Schema | null | undefined) ?? ANYTHING;
  const stored = drafts.inputDraft?.requestId === requestId ? drafts.inputDraft.form : null;
  const form = restoreForm(stored, schema);
  const frame = useRef<HTMLDivElement>(null);
  const checks = useFormCheck(session.session_id, requestId);
  const { isBusy, error, run, clearError } = useAction();
  const [wasRejected, setWasRejected] = useWasRejected(error);
  const problems = uniqueProblems([...(error?.problems ?? []), ...checks.problems]);
  const changeForm = (next: FormDraft) => {
    clearError();
    setDrafts({ inputDraft: { requestId, form: serializeDraft(next) } });
    checks.checkSoon("input", "", next, schema);
  };
  const send = async (anyway: boolean) => {
    if (isBusy) return;
    const read = readFormJson(form, schema);
    if (!("text" in read)) {
      checks.showProblems(read.problems);
      setWasRejected(true);
      return;
    }
    const answer = { value: read.text, anyway };
    if (!(await run(() => api.answerRequest(session.session_id, requestId, answer)))) return;
    // The next request may be there already, with input that was begun since.
    setDrafts(({ inputDraft }) => ({ inputDraft: inputDraft?.requestId === requestId ? null : inputDraft }));
  };
  useSendKey(() => void send(false));
  useFirstFieldFocus(frame, requestId);
  return (
    <div className="composer-frame" ref={frame} tabIndex={-1}>
      <ComposerHeader title="Input for the agent">
        {pause.agent_name} has paused. You answer as the user.
      </ComposerHeader>
      <div className="composer-body scroll">
        {pause.message ? <Markdown text={pause.message} /> : null}
        {pause.payload != null ? <JsonTextTree text={pause.payload} /> : null}
        <SchemaForm
          idPrefix="input"
          label="Input"
          schema={schema}
          draft={form}
          onDraft={changeForm}
          onLeave={() => checks.checkNow("input", "", form, schema)}
          problems={problems}
          showAll={wasRejected}
        />
      </div>
      <footer className="composer-foot">
        <ActionErrorAlert error={error} onSendAnyway={() => void send(true)} />
        <div className="composer-buttons">
          <ProblemCount problems={filterVisibleProblems(problems, form, wasRejected)} frame={frame} />
          <span className="grow" />
          <button type="button" className="button primary" disabled={isBusy} onClick={onPress(() => void send(false))}>
            Send input
            <kbd>{SEND_KEY}</kbd>
          </button>
        </div>
      </footer>
    </div>
  );
}
