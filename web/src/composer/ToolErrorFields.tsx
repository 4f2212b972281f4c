import { EXCEPTIONS, type ToolDraft } from "./toolDraft";

/** The error that a tool returns, or the exception that it raises. */
export function ToolErrorFields({
  draft,
  onChange,
}: {
  draft: ToolDraft;
  onChange: (change: Partial<ToolDraft>) => void;
}) {
  if (draft.mode === "error") {
    return (
      <>
        <label className="field-label" htmlFor="tool-error">
          Error
        </label>
        <textarea
          id="tool-error"
          className="input composer-text"
          rows={4}
          placeholder="What went wrong"
          value={draft.error}
          onChange={(event) => onChange({ error: event.target.value })}
        />
        <p className="quiet">
          The tool returns it: <code>{'{"error": …}'}</code>. Nothing is raised.
        </p>
      </>
    );
  }
  return (
    <>
      <label className="field-label" htmlFor="tool-error-message">
        Message
      </label>
      <textarea
        id="tool-error-message"
        className="input composer-text"
        rows={3}
        placeholder="What the exception says"
        value={draft.errorMessage}
        onChange={(event) => onChange({ errorMessage: event.target.value })}
      />
      <label className="field-label" htmlFor="tool-error-type">
        Exception
      </label>
      <input
        id="tool-error-type"
        className="input mono"
        list="tool-error-types"
        value={draft.errorType}
        onChange={(event) => onChange({ errorType: event.target.value })}
      />
      <datalist id="tool-error-types">
        {EXCEPTIONS.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <p className="quiet">The tool raises it, so that error callbacks and retries of the agent see it.</p>
    </>
  );
}
