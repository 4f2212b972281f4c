import { useRef, useState } from "react";
import { api } from "../api/client";
import type { EnvironmentInfo, FaultInfo, ToolInfo } from "../api/types";
import { removeStored, useStoredState } from "../state/storedState";
import { ErrorAlert } from "../ui/ErrorAlert";
import { Icon } from "../ui/Icon";
import { useAction } from "../ui/useAction";
import {
  buildFaultInput,
  chooseTarget,
  type FaultDraft,
  type FaultKind,
  findFaultProblem,
  getFaultTarget,
  listFaultKinds,
  MODEL_SEAT,
  NEW_FAULT,
  readFaultAction,
} from "./faultDraft";

/** The faults for the next calls: those that are pending, and a form to add or change one. */
export function FaultEditor({
  sessionId,
  tools,
  environment,
  onChange,
}: {
  sessionId: string;
  tools: ToolInfo[];
  environment: EnvironmentInfo;
  /** Sends a change and shows the environment after it. */
  onChange: (request: Promise<EnvironmentInfo>) => Promise<void>;
}) {
  // A fault that was not added yet is there again when the panel is opened again.
  const [stored, setDraft] = useStoredState<Partial<FaultDraft>>(`fault:${sessionId}`, {});
  const [editedId, setEditedId] = useState<string | null>(null);
  const latest = useRef({ stored, editedId });
  latest.current = { stored, editedId };
  const edited = environment.faults.find((fault) => fault.fault_id === editedId);
  const names = tools.map((tool) => tool.name);
  if (edited?.tool_name && !names.includes(edited.tool_name)) names.push(edited.tool_name);
  const targets = [...names, MODEL_SEAT];
  const target = targets.find((name) => name === stored.tool) ?? (targets[0] as string);
  const draft = chooseTarget({ ...NEW_FAULT, ...stored }, target);
  const problem = findFaultProblem(draft, names);
  const { isBusy, error, run, clearError } = useAction();
  const changeDraft = (change: Partial<FaultDraft>) => {
    clearError();
    setDraft((before) => ({ ...before, ...change }));
  };
  const clearDraft = () => {
    setEditedId(null);
    setDraft({});
    removeStored(`fault:${sessionId}`);
  };
  const save = async () => {
    const input = buildFaultInput(draft);
    const request = () =>
      edited ? api.replaceFault(sessionId, edited.fault_id, input) : api.addFault(sessionId, input);
    if (!(await run(() => onChange(request())))) return;
    // What was typed since, or another fault that is edited since, is not saved yet.
    if (latest.current.stored === stored && latest.current.editedId === editedId) clearDraft();
  };
  const remove = (fault: FaultInfo) => void run(() => onChange(api.removeFault(sessionId, fault.fault_id)));
  const edit = (fault: FaultInfo) => {
    const read = readFaultAction(getFaultTarget(fault), fault.action);
    if (!read) return;
    changeDraft(read);
    setEditedId(fault.fault_id);
  };
  return (
    <section className="fault" aria-label="Faults">
      <h3>Faults for the next calls</h3>
      {environment.faults.length ? (
        <ol className="fault-list" aria-label="Pending faults">
          {environment.faults.map((fault, index) => {
            const place = `the fault of ${fault.seat === "model" ? "the model" : fault.tool_name}, fault ${index + 1}`;
            return (
              <li key={fault.fault_id} className={fault === edited ? "fault-edited" : ""}>
                <span>
                  {fault.seat === "model" ? "the model" : <code>{fault.tool_name}</code>} {fault.description}
                </span>
                {readFaultAction(getFaultTarget(fault), fault.action) ? (
                  <button
                    type="button"
                    className="button plain small icon-only"
                    aria-label={`Edit ${place}`}
                    title="Edit"
                    onClick={() => edit(fault)}
                  >
                    <Icon name="edit" />
                  </button>
                ) : null}
                <button
                  type="button"
                  className="button plain small icon-only"
                  aria-label={`Remove ${place}`}
                  title="Remove"
                  disabled={isBusy}
                  onClick={() => remove(fault)}
                >
                  <Icon name="close" />
                </button>
              </li>
            );
          })}
        </ol>
      ) : null}
      <label>
        <span className="field-label">The next call of</span>
        <select className="input" value={target} onChange={(event) => changeDraft({ tool: event.target.value })}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
          <option value={MODEL_SEAT}>the model</option>
        </select>
      </label>
      {target === MODEL_SEAT && environment.is_played_by_person ? (
        <p className="quiet fault-note">
          You play the model, and your decisions are never changed. The fault applies to the next turn that you leave to
          the agent's own model: “Let the model answer”, in the menu beside your decision.
        </p>
      ) : null}
      <label>
        <span className="field-label">What happens</span>
        <select
          className="input"
          value={draft.kind}
          onChange={(event) => changeDraft({ kind: event.target.value as FaultKind })}
        >
          {listFaultKinds(target).map(([kind, words]) => (
            <option key={kind} value={kind}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <FaultFields draft={draft} exceptions={environment.exceptions} problem={problem} onChange={changeDraft} />
      {problem ? (
        <p className="fault-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {error ? <ErrorAlert title={error.message} /> : null}
      <div className="fault-buttons">
        <button type="button" className="button" disabled={isBusy || problem !== ""} onClick={() => void save()}>
          {edited ? "Save fault" : "Add fault"}
        </button>
        {edited ? (
          <button type="button" className="button plain" onClick={clearDraft}>
            Cancel
          </button>
        ) : null}
      </div>
    </section>
  );
}

/** The fields of the kind of fault. */
function FaultFields({
  draft,
  exceptions,
  problem,
  onChange,
}: {
  draft: FaultDraft;
  /** The names of the exceptions that exist. */
  exceptions: string[];
  problem: string;
  onChange: (change: Partial<FaultDraft>) => void;
}) {
  const renderField = (label: string, key: Exclude<keyof FaultDraft, "tool" | "kind" | "exception">) => (
    <label>
      <span className="field-label">{label}</span>
      <input
        className="input mono"
        value={draft[key]}
        aria-invalid={problem !== "" && key !== "message"}
        onChange={(event) => onChange({ [key]: event.target.value })}
      />
    </label>
  );
  switch (draft.kind) {
    case "error":
    case "api_error":
      return (
        <>
          {renderField("Code", "code")}
          {renderField("Message", "message")}
        </>
      );
    case "raise":
      return (
        <>
          <label>
            <span className="field-label">Exception</span>
            <select
              className="input mono"
              value={draft.exception}
              onChange={(event) => onChange({ exception: event.target.value })}
            >
              {exceptions.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          {renderField("Message", "message")}
        </>
      );
    case "respond":
      return renderField("JSON", "json");
    case "timeout":
    case "delay":
      return renderField("Seconds", "seconds");
    case "cut_text":
    case "max_tokens":
      return renderField("Characters that remain", "characters");
    case "unknown_tool":
      return renderField("Name of the tool", "unknownTool");
    default:
      return null;
  }
}
