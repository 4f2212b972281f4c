import { useEffect, useRef, useState } from "react";
import { api } from "../api/client";
import type { Briefing, SessionShape } from "../api/types";
import { SchemaForm } from "../form";
import { useAction } from "../ui/action";
import { Failure } from "../ui/Failure";
import { focusIfLost } from "../ui/focus";
import { Icon } from "../ui/Icon";
import { SEND_KEY, useSendKey } from "../ui/keys";
import { ComposerHead } from "./ComposerHead";
import { type Drafts, formOf, keptForm, reading, type SetDrafts } from "./drafts";
import { Files, filePart, useFiles } from "./Files";
import { ProblemCount } from "./ProblemCount";
import { TroubleNotice } from "./TroubleNotice";
import { uniqueProblems } from "./turnDraft";
import { useChecks, visible } from "./useChecks";

const TITLES: Partial<Record<SessionShape["status"], string>> = {
  query: "What does the user say?",
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
  session: SessionShape;
  briefing: Briefing | null;
  drafts: Drafts;
  setDrafts: SetDrafts;
  onExport: () => void;
  onNew: () => void;
}) {
  const { busy, trouble, run, forget } = useAction();
  const ending = useAction();
  const checks = useChecks(session.session_id, null);
  const [tried, setTried] = useState(false);
  const [files, setFiles, lost] = useFiles(session.session_id);
  const schema = briefing?.input_schema ?? null;
  const form = schema ? formOf(drafts.messageForm, schema) : null;
  const problems = uniqueProblems([...(trouble?.problems ?? []), ...checks.problems]);

  const attach = (added: File[]) => {
    if (!added.length) return;
    void run(async () => {
      const parts = await Promise.all(added.map(filePart));
      setFiles([...files, ...parts]);
    });
  };
  const send = async (anyway: boolean) => {
    setTried(true);
    let data: string | null = null;
    if (form && schema) {
      const read = reading(form, schema);
      if (!("text" in read)) {
        checks.take(read.problems);
        return;
      }
      data = read.text;
    }
    const message = { text: form ? "" : drafts.message, data, files, anyway };
    if (!(await run(() => api.say(session.session_id, message)))) return;
    checks.clear();
    setTried(false);
    setFiles([]);
    setDrafts({ message: "", messageForm: null });
  };
  const ready = Boolean(form) || drafts.message.trim() !== "" || files.length > 0;
  const fresh = session.status === "query";
  useSendKey(() => {
    if (ready && !busy) void send(false);
  });
  const frame = useRef<HTMLDivElement>(null);
  const known = briefing !== null;
  useEffect(() => {
    if (known) focusIfLost(frame.current);
  }, [known]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pasted and dropped files are taken in every field here
    <div
      className="composer-frame"
      ref={frame}
      onPaste={(event) => attach([...event.clipboardData.files])}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        attach([...event.dataTransfer.files]);
      }}
    >
      <ComposerHead title={TITLES[session.status] ?? "The user's next message"}>
        {fresh
          ? `Then the turns of ${session.agent_name} are yours.`
          : session.status === "done"
            ? "Export the session as a golden trace, or go on with another message."
            : "A further message goes on from here."}
      </ComposerHead>
      <div className="composer-body scroll">
        {session.status === "failed" ? <Failure title={session.failure} /> : null}
        {session.status === "done" ? (
          <div className="done-actions">
            <button type="button" className="button primary" onClick={onExport}>
              <Icon name="export" />
              Export
            </button>
            <button type="button" className="button" onClick={onNew}>
              New session
            </button>
            <button
              type="button"
              className="button plain"
              title="Close the session: it can be read and exported, and nothing can be added"
              disabled={ending.busy}
              onClick={() => void ending.run(() => api.close(session.session_id))}
            >
              Finish
            </button>
          </div>
        ) : null}
        <TroubleNotice trouble={ending.trouble} />
        {form && schema ? (
          <SchemaForm
            idPrefix="message"
            schema={schema}
            draft={form}
            onDraft={(next) => {
              setDrafts({ messageForm: keptForm(next) });
              forget();
              checks.soon("message", "", next, schema);
            }}
            onLeave={() => checks.now("message", "", form, schema)}
            problems={problems}
            showAll={tried}
          />
        ) : (
          <>
            <label className="field-label" htmlFor="message-text">
              {fresh ? "Message" : "Another message"}
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
        <Files files={files} onAdd={attach} onDrop={(place) => setFiles(files.filter((_, index) => index !== place))} />
        {lost.length ? (
          <p className="notice">Too large to be kept over a reload, attach again: {lost.join(", ")}</p>
        ) : null}
      </div>
      <footer className="composer-foot">
        <TroubleNotice trouble={trouble} onInsist={() => void send(true)} />
        <div className="composer-buttons">
          <ProblemCount problems={visible(problems, form, tried)} frame={frame} />
          <span className="grow" />
          <button
            type="button"
            className={`button ${session.status === "done" ? "" : "primary"}`}
            disabled={!ready || busy}
            onClick={() => void send(false)}
          >
            Send message
            <kbd>{SEND_KEY}</kbd>
          </button>
        </div>
      </footer>
    </div>
  );
}
