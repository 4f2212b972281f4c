import { useEffect, useRef, useState } from "react";
import { api } from "../api/client";
import type { Briefing, CallShape, Problem, SessionShape, Suggestion } from "../api/types";
import { draftFromJson, type FormDraft, SchemaForm } from "../form";
import { useAction } from "../ui/action";
import { focusFirst, focusIfLost } from "../ui/focus";
import { count } from "../ui/format";
import { Icon } from "../ui/Icon";
import { focusOn, SEND_KEY, useSendKey, useShortcuts } from "../ui/keys";
import { CallStack } from "./CallStack";
import { ChosenTool } from "./ChosenTool";
import { ComposerHead } from "./ComposerHead";
import { type Drafts, type Form, formOf, keptForm, NO_TURN, reading, type SetDrafts, useRecent } from "./drafts";
import { ModelMenu } from "./ModelMenu";
import { ProblemCount } from "./ProblemCount";
import { ToolFinder } from "./ToolFinder";
import { TroubleNotice } from "./TroubleNotice";
import { useChecks, visible } from "./useChecks";
import { useDeciding } from "./useDeciding";

/** A turn of the model, played by a person: calls, or the final response. */
export function TurnEditor({
  session,
  turn,
  briefing,
  drafts,
  setDrafts,
  onDecided,
  onTooLate,
}: {
  session: SessionShape;
  turn: SessionShape["waiting"][number];
  briefing: Briefing | null;
  drafts: Drafts;
  setDrafts: SetDrafts;
  /** This tab has answered the turn. */
  onDecided: (turnId: string) => void;
  /** Somebody else was first; the turn is gone from here before it can be said here. */
  onTooLate: (message: string) => void;
}) {
  const { busy, trouble, run, forget, decide } = useDeciding(session.session_id, turn.turn_id, onTooLate);
  const thinking = useAction();
  const checks = useChecks(session.session_id, turn.turn_id);
  const [tried, setTried] = useState(false);
  const [speaking, setSpeaking] = useState(false);
  const [offered, setOffered] = useState<Suggestion | null>(null);
  const [recent, use] = useRecent(session.agent || session.agent_name);
  const frame = useRef<HTMLDivElement>(null);
  const tools = briefing?.tools ?? [];
  const tool = tools.find((one) => one.name === drafts.tool);
  const answering = drafts.mode === "answer" || tools.length === 0;
  const form = tool ? formOf(drafts.forms[tool.name], tool.parameters) : null;
  const schema = briefing?.output_schema ?? null;
  const answerForm = schema ? formOf(drafts.answerForm, schema) : null;

  const anew = () => {
    checks.clear();
    setTried(false);
    forget();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was said of the last turn is over
  useEffect(() => {
    anew();
    setSpeaking(false);
    setOffered(null);
  }, [turn.turn_id]);
  const ready = briefing !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn is where the person goes on
  useEffect(() => {
    if (ready) focusIfLost(frame.current);
  }, [turn.turn_id, ready]);

  const setForm = (next: FormDraft) => {
    if (!tool) return;
    setDrafts((before) => ({ forms: { ...before.forms, [tool.name]: keptForm(next) } }));
    forget();
    checks.soon("call", tool.name, next, tool.parameters);
  };
  const setAnswerForm = (next: FormDraft) => {
    if (!schema) return;
    setDrafts({ answerForm: keptForm(next) });
    forget();
    checks.soon("answer", "", next, schema);
  };
  const pick = (name: string) => {
    setDrafts({ tool: name, mode: "call" });
    anew();
    focusFirst(frame, ".sf");
  };
  const other = () => {
    setDrafts({ tool: null, mode: "call" });
    window.setTimeout(() => focusOn("tool"));
  };

  /** What the form would send, or null and what is wrong. */
  const read = (draft: FormDraft, of: Record<string, unknown>): string | null => {
    setTried(true);
    const found = reading(draft, of);
    if ("text" in found) return found.text;
    checks.take(found.problems);
    return null;
  };
  const gather = (): CallShape[] | null => {
    const calls = drafts.stack.map((one) => ({ name: one.tool, arguments: one.arguments }));
    if (!tool || !form) return calls;
    const text = read(form, tool.parameters);
    return text === null ? null : [...calls, { name: tool.name, arguments: text }];
  };
  const decided = (sent: boolean, used: string[]) => {
    if (!sent) return;
    onDecided(turn.turn_id);
    if (used.length) use(used);
    checks.clear();
    setDrafts(NO_TURN);
  };
  const execute = async (anyway: boolean) => {
    const calls = gather();
    if (!calls?.length || busy) return;
    const text = drafts.beside.trim() ? drafts.beside : null;
    decided(
      await decide({ calls, text, data: null, anyway }),
      calls.map((call) => call.name),
    );
  };
  const respond = async (anyway: boolean) => {
    if (busy) return;
    if (answerForm && schema) {
      const data = read(answerForm, schema);
      if (data !== null) decided(await decide({ calls: [], text: null, data, anyway }), []);
    } else if (drafts.answer.trim()) {
      decided(await decide({ calls: [], text: drafts.answer, data: null, anyway }), []);
    }
  };
  const send = (anyway: boolean) => void (answering ? respond(anyway) : execute(anyway));
  useSendKey(() => send(false));

  const add = async () => {
    const last = gather()?.at(-1);
    if (!tool || !last) return;
    let problems: Problem[] = [];
    const value = { what: "call" as const, tool: tool.name, value: last.arguments };
    const asked = await run(async () => {
      problems = await api.check(session.session_id, turn.turn_id, value);
    });
    checks.take(problems);
    if (!asked || problems.length) return;
    setDrafts((before) => ({
      stack: [...before.stack, { tool: tool.name, arguments: last.arguments }],
      tool: null,
      forms: without(before.forms, tool.name),
    }));
    setTried(false);
    window.setTimeout(() => focusOn("tool"));
  };
  /** A collected call goes into the form; a call that is in the form takes its place. */
  const editStacked = (place: number) => {
    const call = drafts.stack[place];
    if (!call) return;
    const current = tool && form && form.value !== undefined ? read(form, tool.parameters) : undefined;
    if (current === null) return;
    const stack = drafts.stack.flatMap((one, index) =>
      index !== place ? [one] : tool && current ? [{ tool: tool.name, arguments: current }] : [],
    );
    setDrafts({ stack, tool: call.tool, forms: { [call.tool]: keptForm(draftFromJson(call.arguments)) } });
    setTried(false);
  };

  const latest = useRef("");
  latest.current = JSON.stringify([turn.turn_id, drafts]);
  const onSuggestion = () => {
    const asked = latest.current;
    return (found: Suggestion) => {
      if (latest.current === asked) fill(found);
      else if (latest.current.startsWith(JSON.stringify([turn.turn_id]).slice(0, -1))) setOffered(found);
    };
  };
  const fill = (found: Suggestion) => {
    setOffered(null);
    const [only] = found.calls;
    if (only && found.calls.length === 1) {
      const forms = { [only.name]: keptForm(draftFromJson(only.arguments)) };
      setDrafts({ mode: "call", tool: only.name, forms, stack: [], beside: found.text });
    } else if (found.calls.length) {
      const stack = found.calls.map((call) => ({ tool: call.name, arguments: call.arguments }));
      setDrafts({ mode: "call", tool: null, stack, beside: found.text });
    } else {
      const filled = schema ? keptForm(draftFromJson(found.text)) : null;
      setDrafts({ mode: "answer", answer: found.text, answerForm: filled });
    }
  };

  useShortcuts({
    "/": other,
    c: () => setDrafts({ mode: "call" }),
    r: () => {
      setDrafts({ mode: "answer" });
      focusFirst(frame, ".composer-body");
    },
  });

  const told = [...(trouble?.problems ?? []), ...checks.problems];
  const problems = distinct(told).filter((one) => one.call == null || one.call === drafts.stack.length);
  const seen = visible(problems, answering ? answerForm : form, tried);
  const calling = !answering && (tool !== undefined || drafts.stack.length > 0);
  const speaks = calling && (speaking || drafts.beside !== "");
  const others = session.waiting.length - 1;
  const sendable = answering ? answerForm !== null || drafts.answer.trim() !== "" : calling;
  return (
    <div className="composer-frame" ref={frame}>
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
              onClick={() => {
                setDrafts({ mode });
                anew();
              }}
            >
              {mode === "call" ? "Call a Tool" : "Send Final Response"}
            </button>
          ))}
        </div>
        {briefing?.model ? (
          <ModelMenu
            session={session}
            turnId={turn.turn_id}
            model={briefing.model}
            thinking={thinking}
            onSuggestion={onSuggestion}
            onAnswer={() => onDecided(turn.turn_id)}
          />
        ) : null}
      </div>
      <div className="composer-body scroll">
        <TroubleNotice trouble={thinking.trouble} />
        {offered ? (
          <div className="notice" role="status">
            The model has a suggestion, and you have typed meanwhile.
            <div className="notice-actions">
              <button type="button" className="button small" onClick={() => fill(offered)}>
                Use the suggestion
              </button>
              <button type="button" className="button plain small" onClick={() => setOffered(null)}>
                Keep what I typed
              </button>
            </div>
          </div>
        ) : null}
        {answering ? (
          answerForm && schema ? (
            <SchemaForm
              idPrefix="answer"
              schema={schema}
              draft={answerForm}
              onDraft={setAnswerForm}
              onLeave={() => checks.now("answer", "", answerForm, schema)}
              problems={problems}
              showAll={tried}
            />
          ) : (
            <>
              {ready && tools.length === 0 ? (
                <p className="quiet">This agent has no tools: it can only answer.</p>
              ) : null}
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
            <ChosenTool tool={tool} onOther={other} />
            <SchemaForm
              key={tool.name}
              idPrefix="call"
              schema={tool.parameters}
              draft={form}
              onDraft={setForm}
              onLeave={() => checks.now("call", tool.name, form, tool.parameters)}
              problems={problems}
              showAll={tried}
            />
          </>
        ) : ready ? (
          <ToolFinder tools={tools} recent={recent} onPick={pick} />
        ) : (
          <p className="quiet">Loading…</p>
        )}
      </div>
      <footer className="composer-foot">
        <TroubleNotice trouble={trouble} onInsist={() => send(true)} />
        {answering ? null : (
          <CallStack stack={drafts.stack} onChange={(stack) => setDrafts({ stack })} onEdit={editStacked} />
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
          <ProblemCount problems={seen} frame={frame} />
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
          <button type="button" className="button primary" disabled={busy || !sendable} onClick={() => send(false)}>
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
