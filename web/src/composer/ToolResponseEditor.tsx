import { useRef } from "react";
import { api } from "../api/client";
import type { PendingRequest, PendingToolCall, SessionRecord } from "../api/types";
import { useFetch } from "../api/useFetch";
import { type Schema, SchemaForm, serializeDraft } from "../form";
import { JsonTextTree } from "../json/JsonTree";
import { labelAgent } from "../state/sessionStatus";
import { ErrorAlert } from "../ui/ErrorAlert";
import { watchTyping } from "../ui/focus";
import { formatCount } from "../ui/format";
import { ignoreDoubleClick } from "../ui/ignoreDoubleClick";
import { SEND_KEY, useSendKey } from "../ui/keyboard";
import { RadioButtons } from "../ui/RadioButtons";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { ComposerHeader } from "./ComposerHeader";
import { type Drafts, restoreForm, type SetDrafts } from "./drafts";
import { ProblemCount } from "./ProblemCount";
import { ToolErrorFields } from "./ToolErrorFields";
import { LoadingFields } from "./TypeAheadField";
import { buildToolResponse, findDraftProblem, type ResponseMode, readToolDraft, type ToolDraft } from "./toolDraft";
import { uniqueProblems } from "./turnDraft";
import { useFirstFieldFocus } from "./useFirstFieldFocus";
import { filterVisibleProblems, useFormCheck } from "./useFormCheck";
import { useToolResponse } from "./useToolResponse";
import { useWasRejected } from "./useWasRejected";

const MODES: readonly { value: ResponseMode; label: string; send: string }[] = [
  { value: "result", label: "Result", send: "Send result" },
  { value: "error", label: "Error", send: "Send error" },
  { value: "raise", label: "Exception", send: "Raise" },
];
/** For a tool that does not declare its results. */
const ANY_RESULT_SCHEMA: Schema = { description: "The tool declares no result schema: any value is valid." };

/** A call of a tool that a person plays: its arguments, and the response. */
export function ToolResponseEditor({
  session,
  request,
  drafts,
  setDrafts,
  onResponded,
  onTooLate,
}: {
  session: SessionRecord;
  request: PendingRequest;
  drafts: Drafts;
  setDrafts: SetDrafts;
  /** This tab has responded. */
  onResponded: (requestId: string) => void;
  /** Somebody else was first, or the call has ended. */
  onTooLate: (message: string) => void;
}) {
  const { session_id: sessionId } = session;
  const { request_id: requestId } = request;
  const { data, error: loadError } = useFetch(() => api.getToolCall(sessionId, requestId), requestId);
  const call = data?.request_id === requestId ? data : null;
  const draft = readToolDraft(drafts, requestId);
  const schema = (call?.response_schema as Schema | null | undefined) ?? ANY_RESULT_SCHEMA;
  const form = restoreForm(draft.form, schema);
  const frame = useRef<HTMLDivElement>(null);
  const checks = useFormCheck(sessionId, requestId);
  const { isBusy, error, respond, clearError } = useToolResponse(sessionId, requestId, onTooLate);
  const [wasRejected, setWasRejected] = useWasRejected(error);
  const problems = uniqueProblems([...(error?.problems ?? []), ...checks.problems]);
  const draftProblem = findDraftProblem(draft);
  const canSend = call !== null && !draftProblem;
  const changeDraft = (change: Partial<ToolDraft>) => {
    clearError();
    setDrafts((before) => ({ toolDraft: { ...readToolDraft(before, requestId), ...change } }));
  };
  const send = async (force: boolean) => {
    if (!canSend || isBusy) return;
    const built = buildToolResponse(draft, schema, force);
    if (!("response" in built)) {
      checks.showProblems(built.problems);
      setWasRejected(true);
      return;
    }
    const readTyped = watchTyping(frame.current);
    if (!(await respond(built.response))) return;
    const typed = readTyped();
    // The next call may be there already, with a response that was begun since.
    setDrafts((before) => ({
      toolDraft: before.toolDraft?.requestId === requestId ? null : before.toolDraft,
      typedAhead: before.typedAhead + typed,
    }));
    onResponded(requestId);
  };
  useSendKey(() => void send(false));
  useFirstFieldFocus(frame, JSON.stringify([requestId, call !== null, draft.mode]), {
    text: call ? drafts.typedAhead : "",
    clear: () => setDrafts({ typedAhead: "" }),
  });
  const others = session.pending.filter((request) => request.kind === "tool").length - 1;
  const mode = MODES.find((option) => option.value === draft.mode);
  return (
    <div className="composer-frame" ref={frame} tabIndex={-1}>
      <ComposerHeader title={<>Your turn as the tool {request.tool_name}</>}>
        {labelAgent(session, request)} has called it and waits for the response.
        {others > 0 ? ` ${formatCount(others, "other call")} of your tools ${others === 1 ? "waits" : "wait"}.` : ""}
      </ComposerHeader>
      <div className="composer-modes">
        <RadioButtons
          label="How the tool responds"
          className="segments grow"
          options={MODES}
          value={draft.mode}
          onChange={(chosen) => changeDraft({ mode: chosen })}
        />
      </div>
      <div className="composer-body scroll">
        {loadError && !call ? <ErrorAlert title={loadError} /> : null}
        {call ? <CallToAnswer call={call} /> : <LoadingFields drafts={drafts} setDrafts={setDrafts} />}
        {call && draft.mode === "result" ? (
          <SchemaForm
            idPrefix="tool"
            label="Result"
            schema={schema}
            draft={form}
            onDraft={(next) => {
              changeDraft({ form: serializeDraft(next) });
              checks.checkSoon("result", "", next, schema);
            }}
            onLeave={() => checks.checkNow("result", "", form, schema)}
            problems={problems}
            showAll={wasRejected}
          />
        ) : null}
        {call && draft.mode !== "result" ? <ToolErrorFields draft={draft} onChange={changeDraft} /> : null}
      </div>
      <footer className="composer-foot">
        <ActionErrorAlert error={error} onForce={() => void send(true)} />
        <div className="composer-buttons">
          {draft.mode === "result" ? (
            <ProblemCount problems={filterVisibleProblems(problems, form, wasRejected)} frame={frame} />
          ) : null}
          <span className="grow" />
          <button
            type="button"
            className="button primary"
            disabled={isBusy || !canSend}
            title={draftProblem}
            onClick={ignoreDoubleClick(() => void send(false))}
          >
            {mode?.send}
            <kbd>{SEND_KEY}</kbd>
          </button>
        </div>
      </footer>
    </div>
  );
}

/** What the tool was called with, and what it is for. */
function CallToAnswer({ call }: { call: PendingToolCall }) {
  return (
    <section className="tool-call" aria-label="The call">
      {call.description ? <p className="quiet tool-purpose">{call.description}</p> : null}
      <span className="field-label">Arguments</span>
      {call.arguments === "{}" ? <p className="quiet">none</p> : <JsonTextTree text={call.arguments} />}
    </section>
  );
}
