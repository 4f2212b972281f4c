import { SchemaForm } from "../form";
import type { TurnForms } from "./useTurnForms";

/** The final response: a text, or the form of the agent's output_schema. */
export function ResponseEditor({
  forms,
  text,
  onText,
  hasNoTools,
}: {
  forms: TurnForms;
  text: string;
  onText: (text: string) => void;
  hasNoTools: boolean;
}) {
  if (forms.responseForm && forms.responseSchema) {
    return (
      <SchemaForm
        idPrefix="answer"
        schema={forms.responseSchema}
        draft={forms.responseForm}
        onDraft={forms.setResponseForm}
        onLeave={forms.checkResponseForm}
        problems={forms.problems}
        showAll={forms.wasRejected}
      />
    );
  }
  return (
    <>
      {hasNoTools ? <p className="quiet">This agent has no tools: it can only answer.</p> : null}
      <label className="field-label" htmlFor="answer-text">
        Final response
      </label>
      <textarea
        id="answer-text"
        className="input composer-text"
        rows={8}
        placeholder="What the agent says to the user"
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
    </>
  );
}
