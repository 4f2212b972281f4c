import { useEffect, useRef, useState } from "react";
import { api, Refused } from "../api/client";
import type { Briefing, CallShape, Decision, Problem, SessionShape } from "../api/types";
import { draftFromJson, type FormDraft, type Schema, SchemaForm } from "../form";

import { useAction } from "../ui/action";
import { count } from "../ui/format";
import { Icon } from "../ui/Icon";
import { focusOn, isSend, SEND_KEY, useShortcuts } from "../ui/keys";
import { Menu, MenuItem } from "../ui/Menu";
import { CallStack } from "./CallStack";
import { ComposerHead } from "./ComposerHead";
import { type Drafts, type Form, formOf, keptForm, reading, type SetDrafts, useRecent } from "./drafts";
import { newId } from "./id";
import { ToolFinder } from "./ToolFinder";
import { TroubleNotice } from "./TroubleNotice";

const TOO_LATE = new Set(["TurnAlreadyDecided", "TurnAbandoned", "SessionClosed"]);

interface Sending {
  key: string;
  id: string;
}

/** A turn of the model, played by a person: calls, or the final response. */
export function TurnEditor({
  session,
  turn,
  briefing,
  drafts,
  setDrafts,
  onTooLate,
}: {
  session: SessionShape;
  turn: SessionShape["waiting"][number];
  briefing: Briefing | null;
  drafts: Drafts;
  setDrafts: SetDrafts;
  /** Somebody else was first; the turn is gone from here before it can be said here. */
  onTooLate: (message: string) => void;
}) {
  const { busy, trouble, run, forget } = useAction();
  const thinking = useAction();
  const [checked, setChecked] = useState<Problem[]>([]);
  const [tried, setTried] = useState(false);
  const [speaking, setSpeaking] = useState(false);
  const [recent, use] = useRecent(session.agent || session.agent_name);
  const sending = useRef<Sending | null>(null);
  const tools = briefing?.tools ?? [];
  const tool = tools.find((one) => one.name === drafts.tool);
  const answering = drafts.mode === "answer" || tools.length === 0;
  const form = tool ? formOf(drafts.forms[tool.name], tool.parameters) : null;
  const schema = briefing?.output_schema ?? null;
  const answerForm = schema ? formOf(drafts.answerForm, schema) : null;

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was said of the last turn is over
  useEffect(() => {
    setChecked([]);
    setTried(false);
    setSpeaking(false);
    forget();
  }, [turn.turn_id]);

  const setForm = (next: FormDraft) => {
    if (!tool) return;
    setDrafts((before) => ({ forms: { ...before.forms, [tool.name]: keptForm(next) } }));
  };
  const pick = (name: string) => {
    setDrafts({ tool: name, mode: "call" });
    setChecked([]);
    setTried(false);
    forget();
  };
  const leave = (what: "call" | "answer", draft: FormDraft, of: Schema) => {
    const read = reading(draft, of);
    if (!("text" in read)) return;
    const value = { what, tool: tool?.name ?? "", value: read.text };
    api.check(session.session_id, turn.turn_id, value).then(setChecked, () => undefined);
  };

  const decide = async (part: Omit<Decision, "decision_id" | "anyway">, anyway: boolean, used: string[]) => {
    const key = JSON.stringify([turn.turn_id, part, anyway]);
    if (sending.current?.key !== key) sending.current = { key, id: newId() };
    const decision: Decision = { ...part, anyway, decision_id: sending.current.id };
    const sent = await run(async () => {
      try {
        await api.decide(session.session_id, turn.turn_id, decision);
      } catch (error) {
        if (error instanceof Refused && TOO_LATE.has(error.refusal.error)) onTooLate(error.message);
        throw error;
      }
    });
    if (!sent) return;
    if (used.length) use(used);
    setChecked([]);
    setDrafts({ tool: null, forms: {}, stack: [], beside: "", answer: "", answerForm: null, mode: "call" });
  };

  const gather = (): CallShape[] | null => {
    setTried(true);
    const calls = drafts.stack.map((one) => ({ name: one.tool, arguments: one.arguments }));
    if (!tool || !form) return calls;
    const read = reading(form, tool.parameters);
    if (!("text" in read)) {
      setChecked(read.problems);
      return null;
    }
    return [...calls, { name: tool.name, arguments: read.text }];
  };
  const execute = (anyway: boolean) => {
    const calls = gather();
    if (!calls?.length || busy) return;
    const beside = drafts.beside.trim() ? drafts.beside : null;
    const used = calls.map((call) => call.name);
    void decide({ calls, text: beside, data: null }, anyway, used);
  };
  const add = async () => {
    const calls = gather();
    const last = calls?.at(-1);
    if (!tool || !last) return;
    const value = { what: "call" as const, tool: tool.name, value: last.arguments };
    let problems: Problem[] = [];
    await run(async () => {
      problems = await api.check(session.session_id, turn.turn_id, value);
    });
    if (problems.length) {
      setChecked(problems);
      return;
    }
    setDrafts((before) => ({
      stack: [...before.stack, { tool: tool.name, arguments: last.arguments }],
      tool: null,
      forms: without(before.forms, tool.name),
    }));
    setTried(false);
  };
  const respond = (anyway: boolean) => {
    if (busy) return;
    setTried(true);
    if (!answerForm || !schema) {
      if (drafts.answer.trim()) void decide({ calls: [], text: drafts.answer, data: null }, anyway, []);
      return;
    }
    const read = reading(answerForm, schema);
    if ("text" in read) void decide({ calls: [], text: null, data: read.text }, anyway, []);
    else setChecked(read.problems);
  };
  const send = (anyway: boolean) => (answering ? respond(anyway) : execute(anyway));

  const suggest = () =>
    thinking.run(async () => {
      const found = await api.suggestion(session.session_id, turn.turn_id);
      const [only] = found.calls;
      if (found.calls.length === 1 && only) {
        setDrafts((before) => ({
          mode: "call",
          tool: only.name,
          forms: { ...before.forms, [only.name]: keptForm(draftFromJson(only.arguments)) },
          beside: found.text,
        }));
      } else if (found.calls.length) {
        const stack = found.calls.map((call) => ({ tool: call.name, arguments: call.arguments }));
        setDrafts({ mode: "call", tool: null, stack, beside: found.text });
      } else {
        setDrafts({
          mode: "answer",
          answer: found.text,
          answerForm: schema ? keptForm(draftFromJson(found.text)) : null,
        });
      }
    });

  useShortcuts({
    "/": () => {
      setDrafts({ tool: null, mode: "call" });
      window.setTimeout(() => focusOn("tool"));
    },
    c: () => setDrafts({ mode: "call" }),
    r: () => setDrafts({ mode: "answer" }),
  });

  const problems = distinct([...(trouble?.problems ?? []), ...checked]).filter(
    (problem) => problem.call == null || problem.call === drafts.stack.length,
  );
  const wrong = problems.length ? count(problems.length, "problem") : "";
  const calling = !answering && (tool !== undefined || drafts.stack.length > 0);
  const speaks = calling && (speaking || drafts.beside !== "");
  const others = session.waiting.length - 1;
  const ready = answering
    ? Boolean(answerForm) || drafts.answer.trim() !== ""
    : Boolean(tool) || drafts.stack.length > 0;

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the sending key works in every field of the composer
    <div
      className="composer-frame"
      onKeyDown={(event) => {
        if (!isSend(event)) return;
        event.preventDefault();
        send(false);
      }}
    >
      <ComposerHead title={<>Your turn as {turn.agent_name}</>}>
        {others > 0
          ? `${count(others, "more turn")} ${others === 1 ? "waits" : "wait"} after this one.`
          : "You are the model: call tools, or answer the user."}
      </ComposerHead>
      <div className="composer-modes">
        <div className="segments grow" role="radiogroup" aria-label="What to do">
          {(["call", "answer"] as const).map((mode) => (
            // biome-ignore lint/a11y/useSemanticElements: a segment is a button to look at
            <button
              key={mode}
              type="button"
              role="radio"
              aria-checked={(mode === "answer") === answering}
              className="segment"
              disabled={mode === "call" && tools.length === 0}
              onClick={() => setDrafts({ mode })}
            >
              {mode === "call" ? "Call a Tool" : "Send Final Response"}
            </button>
          ))}
        </div>
        {briefing?.model ? (
          <Menu
            place="end"
            className="button icon-only"
            title={`Ask ${briefing.model}`}
            label={
              thinking.busy ? (
                <span className="spinner" />
              ) : (
                <>
                  <Icon name="spark" />
                  <span className="sr-only">Ask the agent's own model</span>
                </>
              )
            }
          >
            {(close) => (
              <>
                <MenuItem
                  note={`Fills the form with what ${briefing.model} would do; you edit or send it.`}
                  onClick={() => {
                    close();
                    void suggest();
                  }}
                >
                  Suggest the next step
                </MenuItem>
                <MenuItem
                  note="This turn only; it is marked as the model's."
                  onClick={() => {
                    close();
                    void thinking.run(() => api.ownModel(session.session_id, turn.turn_id));
                  }}
                >
                  Let the model answer
                </MenuItem>
              </>
            )}
          </Menu>
        ) : null}
      </div>
      <div className="composer-body scroll">
        <TroubleNotice trouble={thinking.trouble} />
        {answering ? (
          answerForm && schema ? (
            <SchemaForm
              idPrefix="answer"
              schema={schema}
              draft={answerForm}
              onDraft={(next) => setDrafts({ answerForm: keptForm(next) })}
              onLeave={() => leave("answer", answerForm, schema)}
              problems={problems}
              showAll={tried}
            />
          ) : (
            <>
              {tools.length === 0 ? <p className="quiet">This agent has no tools: it can only answer.</p> : null}
              <label className="field-label" htmlFor="answer-text">
                Final response
              </label>
              <textarea
                id="answer-text"
                className="input composer-text"
                rows={8}
                placeholder="What the agent says to the user"
                value={drafts.answer}
                onChange={(event) => setDrafts({ answer: event.target.value })}
              />
            </>
          )
        ) : tool && form ? (
          <>
            <div className="chosen-tool">
              <b className="mono">{tool.name}</b>
              <span className="grow" />
              <button type="button" className="button plain small" onClick={() => setDrafts({ tool: null })}>
                Other tool
              </button>
            </div>
            <p className="quiet chosen-line">{tool.description.split("\n\n")[0]}</p>
            <SchemaForm
              key={tool.name}
              idPrefix="call"
              schema={tool.parameters}
              draft={form}
              onDraft={setForm}
              onLeave={() => leave("call", form, tool.parameters)}
              problems={problems}
              showAll={tried}
            />
          </>
        ) : briefing ? (
          <ToolFinder tools={tools} recent={recent} onPick={pick} />
        ) : (
          <p className="quiet">Loading…</p>
        )}
        <TroubleNotice trouble={trouble} onInsist={() => send(true)} />
      </div>
      <footer className="composer-foot">
        {answering ? null : (
          <CallStack
            stack={drafts.stack}
            onChange={(stack) => setDrafts({ stack })}
            onEdit={(place) => {
              const call = drafts.stack[place];
              if (!call) return;
              setDrafts((before) => ({
                tool: call.tool,
                forms: { ...before.forms, [call.tool]: keptForm(draftFromJson(call.arguments)) },
                stack: before.stack.filter((_, index) => index !== place),
              }));
            }}
          />
        )}
        {speaks ? (
          <input
            className="input"
            aria-label="Say with the call"
            placeholder="What the agent says before it calls"
            value={drafts.beside}
            onChange={(event) => setDrafts({ beside: event.target.value })}
          />
        ) : null}
        <div className="composer-buttons">
          {wrong ? <span className="problem-count">{wrong}</span> : null}
          <span className="grow" />
          {calling && !speaks ? (
            <button
              type="button"
              className="button plain icon-only"
              title="Say something with the call"
              aria-label="Say something with the call"
              onClick={() => setSpeaking(true)}
            >
              <Icon name="say" />
            </button>
          ) : null}
          {!answering && tool ? (
            <button type="button" className="button" disabled={busy} onClick={() => void add()}>
              <Icon name="plus" />
              Add to turn
            </button>
          ) : null}
          <button type="button" className="button primary" disabled={busy || !ready} onClick={() => send(false)}>
            {answering ? "Send Final Response" : drafts.stack.length ? `Execute ${calls(drafts, tool)}` : "Execute"}
            <kbd>{SEND_KEY}</kbd>
          </button>
        </div>
      </footer>
    </div>
  );
}

/** Each problem once: a check and a refusal say the same. */
export function distinct(problems: Problem[]): Problem[] {
  return [...new Map(problems.map((one) => [`${one.path}\n${one.message}`, one])).values()];
}

function calls(drafts: Drafts, tool: unknown): string {
  return count(drafts.stack.length + (tool ? 1 : 0), "call");
}

function without(forms: Record<string, Form>, name: string): Record<string, Form> {
  const { [name]: _, ...rest } = forms;
  return rest;
}
