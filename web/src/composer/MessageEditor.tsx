import { useRef } from "react";
import { api } from "../api/client";
import type { Briefing, SessionRecord, SessionStatus } from "../api/types";
import { SchemaForm, serializeDraft } from "../form";
import { MissingStateNotice } from "../sessionstart/MissingStateNotice";
import { ErrorAlert } from "../ui/ErrorAlert";
import { watchTyping } from "../ui/focus";
import { Icon } from "../ui/Icon";
import { ignoreDoubleClick } from "../ui/ignoreDoubleClick";
import { SEND_KEY, useSendKey } from "../ui/keyboard";
import { useAction } from "../ui/useAction";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { Attachments, readFilePart } from "./Attachments";
import { ComposerHeader } from "./ComposerHeader";
import { type Drafts, readFormJson, restoreForm, type SetDrafts } from "./drafts";
import { ProblemCount } from "./ProblemCount";
import { LoadingFields } from "./TypeAheadField";
import { uniqueProblems } from "./turnDraft";
import { useAttachments } from "./useAttachments";
import { useFirstFieldFocus } from "./useFirstFieldFocus";
import { filterVisibleProblems, useFormCheck } from "./useFormCheck";
import { useSendAndClear } from "./useSendAndClear";
import { useWasRejected } from "./useWasRejected";

const TITLES: Partial<Record<SessionStatus, string>> = {
  new: "What does the user say?",
  done: "The agent has answered",
  failed: "The run failed",
  stopped: "The run was stopped",
};

/** The user's next message: a text with files, or the form of the agent's input_schema. */
export function MessageEditor({
  session,
  briefing,
  drafts,
  setDrafts,
  onExport,
  onNew,
}: {
  session: SessionRecord;
  briefing: Briefing | null;
  drafts: Drafts;
  setDrafts: SetDrafts;
  onExport: () => void;
  onNew: () => void;
}) {
  const { isBusy, error, run, clearError } = useAction();
  const closing = useAction();
  const frame = useRef<HTMLDivElement>(null);
  const checks = useFormCheck(session.session_id, null);
  const [wasRejected, setWasRejected] = useWasRejected(error);
  const { files, changeFiles, problem: storageProblem } = useAttachments(session.session_id);
  const reading = useAction();
  const sendAndClear = useSendAndClear(session.session_id);
  const schema = briefing?.input_schema ?? null;
  const form = schema ? restoreForm(drafts.messageForm, schema) : null;
  const problems = uniqueProblems([...(error?.problems ?? []), ...checks.problems]);

  const attachFiles = (added: File[]) => {
    if (!added.length) return;
    void reading.run(async () => {
      const parts = await Promise.all(added.map(readFilePart));
      changeFiles((before) => [...before, ...parts]);
    });
  };
  const removeFile = (index: number) => changeFiles((before) => before.filter((file) => file !== files[index]));
  const send = async (force: boolean) => {
    let jsonText: string | null = null;
    if (form && schema) {
      const read = readFormJson(form, schema);
      if (!("text" in read)) {
        checks.showProblems(read.problems);
        setWasRejected(true);
        return;
      }
      jsonText = read.text;
    }
    const message = { text: form ? "" : drafts.message, json_text: jsonText, files, force };
    const { message: text, messageForm } = drafts;
    const readTyped = watchTyping(frame.current);
    const isSent = await sendAndClear({
      send: () => run(() => api.sendMessage(session.session_id, message)),
      // What was typed and attached since is for later.
      clear: () => {
        const typed = readTyped();
        changeFiles((before) => before.filter((file) => !files.includes(file)));
        setDrafts((before) => ({ message: "", messageForm: null, typedAhead: before.typedAhead + typed }));
      },
      restore: () => {
        changeFiles((before) => [...files, ...before]);
        setDrafts((before) => (before.message || before.messageForm ? {} : { message: text, messageForm }));
      },
    });
    if (!isSent) return;
    checks.clear();
    setWasRejected(false);
  };
  // Before the briefing is loaded it is not known whether the agent takes a text or a form.
  const isLoaded = briefing !== null;
  const canSend = isLoaded && (Boolean(form) || drafts.message.trim() !== "" || files.length > 0);
  const isBlocked = !canSend || isBusy || reading.isBusy;
  const isFirstMessage = session.status === "new";
  useSendKey(() => {
    if (!isBlocked) void send(false);
  });
  useFirstFieldFocus(frame, JSON.stringify([session.status, isLoaded, schema !== null]), {
    text: isLoaded ? drafts.typedAhead : "",
    clear: () => setDrafts({ typedAhead: "" }),
  });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be pasted and dropped anywhere in the editor
    <div
      className="composer-frame"
      ref={frame}
      tabIndex={-1}
      onPaste={(event) => attachFiles([...event.clipboardData.files])}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        attachFiles([...event.dataTransfer.files]);
      }}
    >
      <ComposerHeader title={TITLES[session.status] ?? "The user's next message"}>
        {isFirstMessage
          ? `After that, you play the turns of ${session.agent_label}.`
          : session.status === "done"
            ? "Export the session as a golden trace, or continue with another message."
            : "Another message continues the session."}
      </ComposerHeader>
      <div className="composer-body scroll">
        {session.status === "failed" ? <ErrorAlert title={session.failure} /> : null}
        {session.agent_key ? <MissingStateNotice session={session} /> : null}
        {session.status === "done" ? (
          <div className="done-actions">
            <button type="button" className="button primary" onClick={onExport}>
              <Icon name="export" />
              Export session
            </button>
            <button type="button" className="button" onClick={onNew}>
              New session
            </button>
            <button
              type="button"
              className="button plain"
              title="It can then be read and exported; nothing can be added"
              disabled={closing.isBusy}
              onClick={() => void closing.run(async () => void (await api.closeSession(session.session_id)))}
            >
              Close session
            </button>
          </div>
        ) : null}
        <ActionErrorAlert error={closing.error} />
        {form && schema ? (
          <SchemaForm
            idPrefix="message"
            schema={schema}
            draft={form}
            onDraft={(next) => {
              setDrafts({ messageForm: serializeDraft(next) });
              clearError();
              checks.checkSoon("message", "", next, schema);
            }}
            onLeave={() => checks.checkNow("message", "", form, schema)}
            problems={problems}
            showAll={wasRejected}
          />
        ) : !isLoaded ? (
          <LoadingFields drafts={drafts} setDrafts={setDrafts} />
        ) : (
          <>
            <label className="field-label" htmlFor="message-text">
              {isFirstMessage ? "Message" : "Another message"}
            </label>
            <textarea
              id="message-text"
              className="input composer-text"
              rows={5}
              placeholder="What the user says to the agent"
              value={drafts.message}
              onChange={(event) => setDrafts({ message: event.target.value })}
            />
          </>
        )}
        <Attachments files={files} onAdd={attachFiles} onRemove={removeFile} />
        {storageProblem && files.length ? (
          <p className="notice">The files are lost if the page is reloaded: {storageProblem}</p>
        ) : null}
      </div>
      <footer className="composer-foot">
        <ActionErrorAlert error={reading.error} />
        <ActionErrorAlert error={error} onForce={() => void send(true)} />
        <div className="composer-buttons">
          <ProblemCount problems={filterVisibleProblems(problems, form, wasRejected)} frame={frame} />
          <span className="grow" />
          <button
            type="button"
            className={`button ${session.status === "done" ? "" : "primary"}`}
            disabled={isBlocked}
            onClick={ignoreDoubleClick(() => void send(false))}
          >
            Send message
            <kbd>{SEND_KEY}</kbd>
          </button>
        </div>
      </footer>
    </div>
  );
}
