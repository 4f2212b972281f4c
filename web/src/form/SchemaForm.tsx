import { type FocusEvent, useLayoutEffect, useRef, useState } from "react";
import type { FieldProblem } from "../api/types";
import { getValueAt, type Path, toPointer } from "../json/path";
import { type FormDraft, toForm, toRawJson } from "./draft";
import { FieldView } from "./FieldView";
import { readField } from "./field";
import { FormContext, type FormContextValue } from "./formContext";
import type { Schema } from "./keywords";
import { draftToJson } from "./problems";
import { RAW_KEY, RawFormEditor } from "./RawFormEditor";
import { UnplacedProblems } from "./UnplacedProblems";
import { useFieldBlur } from "./useFieldBlur";
import "./form.css";

export interface SchemaFormProps {
  schema: Schema;
  draft: FormDraft;
  onDraft: (draft: FormDraft) => void;
  /** The server's problems; the form adds those it can detect itself. */
  problems?: readonly FieldProblem[];
  /** Shows all problems, also at untouched fields: after an attempt to send. */
  showAll?: boolean;
  /** The focus left a field. */
  onLeave?: () => void;
  /** Makes element ids unique among several forms on one page. */
  idPrefix: string;
  disabled?: boolean;
  /** The accessible name of the form. */
  label?: string;
}

const NONE: readonly FieldProblem[] = [];
const CONTROLS = ["input", "textarea", "select", "button"];
const FOCUSABLE = CONTROLS.map((tag) => `${tag}:not([tabindex='-1'], :disabled, .sf-fold)`).join(", ");

/** A form for any JSON Schema. It is controlled: all input is in the draft. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, draft, onDraft, problems = NONE, showAll = false, disabled = false, idPrefix, label } = props;
  const latest = useRef(draft);
  latest.current = draft;
  const frame = useRef<HTMLDivElement>(null);
  const focus = useRef<string | null>(null);
  const [isRawInvalid, setIsRawInvalid] = useState(false);
  const all = mergeProblems(draftToJson(draft, schema).problems, problems);

  function update(change: (draft: FormDraft) => FormDraft): void {
    latest.current = change(latest.current);
    onDraft(latest.current);
  }

  useLayoutEffect(() => {
    const id = focus.current;
    focus.current = null;
    if (id !== null) {
      (findControl(id) ?? findControl(id.replace(/#\w+$/, "")))?.focus();
    }
  });

  const context: FormContextValue = {
    draft,
    rootSchema: schema,
    disabled,
    idPrefix,
    problems: all,
    showAll,
    update,
    renderField: (fieldSchema, position) => <FieldView schema={fieldSchema} position={position} />,
    focusAfterRender: (id) => {
      focus.current = id;
    },
  };

  const reportBlur = useFieldBlur((keys) => {
    const untouched = keys.filter((at) => latest.current.touched[at] !== true);
    if (untouched.length > 0) {
      const marks = Object.fromEntries(untouched.map((at) => [at, true]));
      update((current) => ({ ...current, touched: { ...current.touched, ...marks } }));
    }
    props.onLeave?.();
  });

  function handleBlur(event: FocusEvent): void {
    const keys = findEnclosingFields(event.target, event.relatedTarget).map(({ at }) => at);
    reportBlur(draft.raw === null ? keys : [RAW_KEY]);
  }

  /** Pins the variant of a union while it is edited, so that a partial value does not switch it. */
  function handleFocus(event: FocusEvent): void {
    const { value, variants } = latest.current;
    const pins = findEnclosingFields(event.target, null).filter(
      ({ at, path, variant }) =>
        variant !== null && variants[at] === undefined && getValueAt(value, path) !== undefined,
    );
    if (pins.length > 0) {
      const marks = Object.fromEntries(pins.map(({ at, variant }) => [at, variant as number]));
      update((current) => ({ ...current, variants: { ...current.variants, ...marks } }));
    }
  }

  function toggleRawJson(): void {
    const next = draft.raw === null ? toRawJson(draft) : toForm(draft);
    setIsRawInvalid(next === null);
    if (next !== null) {
      onDraft(next);
    }
  }

  const isRaw = draft.raw !== null;
  // A schema that allows anything is one field, which is edited as JSON anyway.
  const hasForm = readField(schema, schema).kind !== "json";
  return (
    <FormContext.Provider value={context}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a width of its own */}
      <div
        className="sf"
        ref={frame}
        role="group"
        aria-label={label ?? "Form"}
        onBlur={handleBlur}
        onFocus={handleFocus}
      >
        {hasForm || isRaw ? (
          <div className="sf-bar">
            <button
              type="button"
              className="sf-button"
              aria-pressed={isRaw}
              onClick={toggleRawJson}
              disabled={disabled}
            >
              Edit as JSON
            </button>
          </div>
        ) : null}
        {isRaw ? (
          <RawFormEditor isInvalid={isRawInvalid} />
        ) : (
          <>
            <FieldView
              schema={schema}
              position={{
                path: [],
                label: "",
                accessibleName: label ?? "value",
                required: true,
                slot: "root",
                order: [],
                depth: 0,
              }}
            />
            <UnplacedProblems frame={frame} />
          </>
        )}
      </div>
    </FormContext.Provider>
  );
}

function findControl(id: string): HTMLElement | null {
  return document.getElementById(id)?.querySelector<HTMLElement>(FOCUSABLE) ?? null;
}

interface EnclosingField {
  at: string;
  path: Path;
  variant: number | null;
}

/** The fields that contain the element but not the other element. */
function findEnclosingFields(element: Element, other: EventTarget | null): EnclosingField[] {
  const fields: EnclosingField[] = [];
  let frame = element.closest<HTMLElement>("[data-path]");
  while (frame !== null && !(other instanceof Node && frame.contains(other))) {
    const path = JSON.parse(frame.dataset.path ?? "[]") as Path;
    const variant = frame.querySelector<HTMLElement>(":scope > .sf-head > [data-variant]")?.dataset.variant;
    fields.push({ at: toPointer(path), path, variant: variant === undefined ? null : Number(variant) });
    frame = frame.parentElement?.closest<HTMLElement>("[data-path]") ?? null;
  }
  return fields;
}

/** Both lists; a reported problem is dropped where the form found one at the same path. */
function mergeProblems(own: readonly FieldProblem[], reported: readonly FieldProblem[]): FieldProblem[] {
  const keys = new Set(own.map((problem) => problem.path));
  return [...own, ...reported.filter((problem) => !keys.has(problem.path))];
}
