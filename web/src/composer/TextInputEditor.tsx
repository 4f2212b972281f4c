import { useRef } from "react";
import { api } from "../api/client";
import { stringify } from "../json/lossless";
import { describeTextOrJson, readTextOrJson } from "../json/textOrJson";
import { useAction } from "../ui/useAction";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { type InputEditorProps, InputFrame } from "./InputFrame";

/** What a paused agent asks the user for without a schema: a text, or any JSON. */
export function TextInputEditor({ session, pause, drafts, setDrafts }: InputEditorProps) {
  const { request_id: requestId } = pause;
  const text = (drafts.inputDraft?.requestId === requestId && drafts.inputDraft.text) || "";
  const frame = useRef<HTMLDivElement>(null);
  const { isBusy, error, run, clearError } = useAction();
  const send = async () => {
    const answer = { value: stringify(readTextOrJson(text)), force: false };
    if (!(await run(() => api.answerRequest(session.session_id, requestId, answer)))) return;
    // The next request may be there already, with input that was begun since.
    setDrafts(({ inputDraft }) => ({ inputDraft: inputDraft?.requestId === requestId ? null : inputDraft }));
  };
  return (
    <InputFrame
      session={session}
      pause={pause}
      frame={frame}
      isDisabled={isBusy || !text.trim()}
      onSend={() => void send()}
      alert={<ActionErrorAlert error={error} />}
    >
      <label className="field-label" htmlFor="input-text">
        Input
      </label>
      <textarea
        id="input-text"
        className="input composer-text"
        rows={3}
        placeholder="text or JSON"
        aria-describedby="input-text-hint"
        value={text}
        onChange={(event) => {
          clearError();
          setDrafts({ inputDraft: { requestId, text: event.target.value } });
        }}
      />
      <p id="input-text-hint" className="quiet">
        {describeTextOrJson(text)}
      </p>
    </InputFrame>
  );
}
