import { useId, useLayoutEffect, useRef, useState } from "react";
import type { CaseFieldInfo, EvalCaseDetail } from "../api/types";
import { draftFromJson, formatRawJson, JsonTextArea, type Schema, SchemaForm } from "../form";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount } from "../ui/format";
import { SEND_KEY, useSendKey } from "../ui/keyboard";
import { type CaseDraft, countInvalid, isSameValue } from "./caseDraft";

/** The values of a case as fields: what is changed is kept until it is saved or discarded. */
export function CorrectPane({
  detail,
  draft,
  isBusy,
  error,
  hasConflict,
  onChange,
  onSave,
  onSaveCopy,
  onDiscard,
}: {
  detail: EvalCaseDetail;
  draft: CaseDraft | null;
  isBusy: boolean;
  error: string;
  /** Whether somebody else has changed the case since the first correction. */
  hasConflict: boolean;
  onChange: (field: CaseFieldInfo, value: string) => void;
  onSave: () => void;
  onSaveCopy: () => void;
  onDiscard: () => void;
}) {
  const invalid = countInvalid(draft, detail.fields);
  const count = Object.keys(draft?.values ?? {}).length;
  const canSave = count > 0 && invalid === 0 && !isBusy;
  useSendKey(() => {
    if (canSave && !hasConflict) onSave();
  });
  const turns = [...new Set(detail.fields.map((field) => field.turn))];
  return (
    <>
      <div className="ev-fields scroll">
        {hasConflict ? (
          <div className="notice" role="alert">
            <span>Somebody else has changed this case since you began. Nothing of yours or theirs is lost.</span>
            <div className="notice-actions">
              <button type="button" className="button small" disabled={!canSave} onClick={onSaveCopy}>
                Keep mine as a copy
              </button>
              <button type="button" className="button small" disabled={isBusy} onClick={onDiscard}>
                Take theirs
              </button>
            </div>
          </div>
        ) : null}
        {turns.map((turn) => (
          <section key={turn} className="ev-turn">
            <h3>{turn ? `User turn ${turn}` : "Case"}</h3>
            {detail.fields
              .filter((field) => field.turn === turn)
              .map((field) => (
                <Field
                  key={field.path}
                  field={field}
                  value={draft?.values[field.path] ?? field.value}
                  isDisabled={!detail.is_editable}
                  onChange={(value) => onChange(field, value)}
                />
              ))}
          </section>
        ))}
        {detail.fields.length ? null : <p className="quiet">There are no values to correct here.</p>}
        {detail.omitted_field_count ? (
          <p className="quiet">{formatCount(detail.omitted_field_count, "value")} too long to be corrected here.</p>
        ) : null}
      </div>
      {detail.is_editable ? (
        <div className="ev-save">
          {error && !hasConflict ? <ErrorAlert title={error} /> : null}
          <div className="ev-save-buttons">
            <button type="button" className="button primary" disabled={!canSave || hasConflict} onClick={onSave}>
              Save to the file <kbd>{SEND_KEY}</kbd>
            </button>
            {count ? (
              <button type="button" className="button plain" disabled={isBusy} onClick={onDiscard}>
                Discard
              </button>
            ) : null}
            <span className="quiet" role="status">
              {invalid
                ? `${formatCount(invalid, "value")} not a JSON object`
                : count
                  ? `${formatCount(count, "value")} changed`
                  : ""}
            </span>
          </div>
        </div>
      ) : (
        <p className="ev-save quiet">
          This file is read-only. Convert it to an EvalSet, on the page of the file, to edit it.
        </p>
      )}
    </>
  );
}

function Field({
  field,
  value,
  isDisabled,
  onChange,
}: {
  field: CaseFieldInfo;
  value: string;
  isDisabled: boolean;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const isChanged = !isSameValue(field, value);
  const schema = field.value_schema as Schema | null;
  return (
    <div className={isChanged ? "ev-field is-changed" : "ev-field"}>
      <div className="ev-field-head">
        {schema ? <span className="ev-label">{field.label}</span> : <label htmlFor={id}>{field.label}</label>}
        {isChanged ? (
          <button type="button" className="button plain small" onClick={() => onChange(field.value)}>
            <span aria-hidden="true">Reset</span>
            <span className="sr-only">Reset {field.label}</span>
          </button>
        ) : null}
      </div>
      {field.kind === "text" ? (
        <GrowingTextArea id={id} value={value} isDisabled={isDisabled} onChange={onChange} />
      ) : schema ? (
        <ArgumentsForm
          id={id}
          field={field}
          schema={schema}
          value={value}
          isDisabled={isDisabled}
          onChange={onChange}
        />
      ) : (
        <JsonTextArea text={value} onText={onChange} controlProps={{ id, disabled: isDisabled }} rows={2} />
      )}
    </div>
  );
}

/** The arguments of a tool that the agent has, as the form of its call; the value stays JSON text. */
function ArgumentsForm({
  id,
  field,
  schema,
  value,
  isDisabled,
  onChange,
}: {
  id: string;
  field: CaseFieldInfo;
  schema: Schema;
  value: string;
  isDisabled: boolean;
  onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(() => ({ text: value, form: draftFromJson(value) }));
  // A value that comes from elsewhere, such as a reset, replaces what the form has; half-typed input is in the form only.
  const form = typed.text === value || isSameValue({ ...field, value: typed.text }, value) ? typed.form : null;
  return (
    <SchemaForm
      schema={schema}
      draft={form ?? draftFromJson(value)}
      onDraft={(next) => {
        const text = formatRawJson(next);
        setTyped({ text, form: next });
        onChange(text);
      }}
      idPrefix={id}
      label={field.label}
      disabled={isDisabled}
    />
  );
}

const MAX_HEIGHT = 320;

function GrowingTextArea({
  id,
  value,
  isDisabled,
  onChange,
}: {
  id: string;
  value: string;
  isDisabled: boolean;
  onChange: (value: string) => void;
}) {
  const box = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const area = box.current;
    if (!area) return;
    area.style.height = "0";
    area.style.height = `${Math.min(MAX_HEIGHT, area.scrollHeight + area.offsetHeight - area.clientHeight)}px`;
  }, [value]);
  return (
    <textarea
      ref={box}
      id={id}
      className="input"
      rows={1}
      value={value}
      disabled={isDisabled}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
