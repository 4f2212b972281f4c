import { type FocusEvent, useLayoutEffect, useRef, useState } from "react";
import { type Path, pointer, valueAt } from "../json/path";
import { asForm, asRaw, type FormDraft } from "./draft";
import { Elsewhere } from "./Elsewhere";
import { FieldView } from "./FieldView";
import type { Schema } from "./keywords";
import { draftToJson, type Problem } from "./problems";
import { type Scope, ScopeContext } from "./scope";
import { useLeaving } from "./useLeaving";
import { RAW, WholeAsJson } from "./WholeAsJson";
import "./form.css";

export interface SchemaFormProps {
  schema: Schema;
  draft: FormDraft;
  onDraft: (draft: FormDraft) => void;
  /** What the server says is wrong; what can be told without it is added here. */
  problems?: readonly Problem[];
  /** Tells all problems, also at fields that nobody has been in: after an attempt to send. */
  showAll?: boolean;
  /** The focus left a field. */
  onLeave?: () => void;
  /** Keeps the ids of several forms on one page apart. */
  idPrefix: string;
  disabled?: boolean;
  /** What the form as a whole is called. */
  label?: string;
}

const NONE: readonly Problem[] = [];
const CONTROLS = ["input", "textarea", "select", "button"];
const FOCUSABLE = CONTROLS.map((tag) => `${tag}:not([tabindex='-1'], :disabled, .sf-fold)`).join(", ");

/** A form for any JSON Schema. It holds nothing itself: all that is typed is in the draft. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, draft, onDraft, problems = NONE, showAll = false, disabled = false, idPrefix, label } = props;
  const latest = useRef(draft);
  latest.current = draft;
  const frame = useRef<HTMLDivElement>(null);
  const focus = useRef<string | null>(null);
  const [refused, setRefused] = useState(false);
  const all = joined(draftToJson(draft, schema).problems, problems);

  function edit(change: (draft: FormDraft) => FormDraft): void {
    latest.current = change(latest.current);
    onDraft(latest.current);
  }

  useLayoutEffect(() => {
    const id = focus.current;
    focus.current = null;
    if (id !== null) {
      (controlIn(id) ?? controlIn(id.replace(/#\w+$/, "")))?.focus();
    }
  });

  const scope: Scope = {
    draft,
    root: schema,
    disabled,
    idPrefix,
    problems: all,
    showAll,
    edit,
    draw: (one, place) => <FieldView schema={one} place={place} />,
    focusNext: (id) => {
      focus.current = id;
    },
  };

  const leave = useLeaving((places) => {
    const gone = places.filter((at) => latest.current.left[at] !== true);
    if (gone.length > 0) {
      const marks = Object.fromEntries(gone.map((at) => [at, true]));
      edit((found) => ({ ...found, left: { ...found.left, ...marks } }));
    }
    props.onLeave?.();
  });

  function left(event: FocusEvent): void {
    const places = placesAround(event.target, event.relatedTarget).map(({ at }) => at);
    leave(draft.raw === null ? places : [RAW]);
  }

  /** A union that is being edited stays the variant it is, whatever its value looks like meanwhile. */
  function entered(event: FocusEvent): void {
    const { value, variants } = latest.current;
    const pins = placesAround(event.target, null).filter(
      ({ at, path, variant }) => variant !== null && variants[at] === undefined && valueAt(value, path) !== undefined,
    );
    if (pins.length > 0) {
      const marks = Object.fromEntries(pins.map(({ at, variant }) => [at, variant as number]));
      edit((found) => ({ ...found, variants: { ...found.variants, ...marks } }));
    }
  }

  function toggle(): void {
    const next = draft.raw === null ? asRaw(draft) : asForm(draft);
    setRefused(next === null);
    if (next !== null) {
      onDraft(next);
    }
  }

  const isRaw = draft.raw !== null;
  return (
    <ScopeContext.Provider value={scope}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a width of its own */}
      <div className="sf" ref={frame} role="group" aria-label={label ?? "Form"} onBlur={left} onFocus={entered}>
        <div className="sf-bar">
          <button type="button" className="sf-button" aria-pressed={isRaw} onClick={toggle} disabled={disabled}>
            Edit as JSON
          </button>
        </div>
        {isRaw ? (
          <WholeAsJson refused={refused} />
        ) : (
          <>
            <FieldView
              schema={schema}
              place={{
                path: [],
                label: "",
                spoken: label ?? "value",
                required: true,
                slot: "root",
                order: [],
                depth: 0,
              }}
            />
            <Elsewhere frame={frame} />
          </>
        )}
      </div>
    </ScopeContext.Provider>
  );
}

function controlIn(id: string): HTMLElement | null {
  return document.getElementById(id)?.querySelector<HTMLElement>(FOCUSABLE) ?? null;
}

interface Around {
  at: string;
  path: Path;
  variant: number | null;
}

/** The fields that an element stands in, as far as they do not hold the other element too. */
function placesAround(element: Element, other: EventTarget | null): Around[] {
  const found: Around[] = [];
  let frame = element.closest<HTMLElement>("[data-path]");
  while (frame !== null && !(other instanceof Node && frame.contains(other))) {
    const path = JSON.parse(frame.dataset.path ?? "[]") as Path;
    const variant = frame.querySelector<HTMLElement>(":scope > .sf-head > [data-variant]")?.dataset.variant;
    found.push({ at: pointer(path), path, variant: variant === undefined ? null : Number(variant) });
    frame = frame.parentElement?.closest<HTMLElement>("[data-path]") ?? null;
  }
  return found;
}

/** Both lists, each problem once. */
function joined(own: readonly Problem[], told: readonly Problem[]): Problem[] {
  const places = new Set(own.map((one) => one.path));
  return [...own, ...told.filter((one) => !places.has(one.path))];
}
