import { useRef } from "react";
import { api } from "../api/client";
import { type FormDraft, type Schema, SchemaForm, serializeDraft } from "../form";
import { useAction } from "../ui/useAction";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { readFormJson, restoreForm } from "./drafts";
import { type InputEditorProps, InputFrame } from "./InputFrame";
import { ProblemCount } from "./ProblemCount";
import { TextInputEditor } from "./TextInputEditor";
import { uniqueProblems } from "./turnDraft";
import { filterVisibleProblems, useFormCheck } from "./useFormCheck";
import { useWasRejected } from "./useWasRejected";

/** What a paused agent asks the user for: a form by the schema of the request, or a text where it has none. */
export function InputEditor(props: InputEditorProps) {
  const schema = props.pause.response_schema as Schema | null | undefined;
  return schema ? <FormInputEditor {...props} schema={schema} /> : <TextInputEditor {...props} />;
}

function FormInputEditor({ session, pause, drafts, setDrafts, schema }: InputEditorProps & { schema: Schema }) {
  const { request_id: requestId } = pause;
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
  const send = async (force: boolean) => {
    if (isBusy) return;
    const read = readFormJson(form, schema);
    if (!("text" in read)) {
      checks.showProblems(read.problems);
      setWasRejected(true);
      return;
    }
    const answer = { value: read.text, force };
    if (!(await run(() => api.answerRequest(session.session_id, requestId, answer)))) return;
    // The next request may be there already, with input that was begun since.
    setDrafts(({ inputDraft }) => ({ inputDraft: inputDraft?.requestId === requestId ? null : inputDraft }));
  };
  return (
    <InputFrame
      session={session}
      pause={pause}
      frame={frame}
      isDisabled={isBusy}
      onSend={() => void send(false)}
      alert={<ActionErrorAlert error={error} onForce={() => void send(true)} />}
      problemCount={<ProblemCount problems={filterVisibleProblems(problems, form, wasRejected)} frame={frame} />}
    >
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
    </InputFrame>
  );
}
