import { useEffect, useRef, useState } from "react";
import { api } from "../api/client";
import type { Problem, ToolShape, WorldCall, WorldTool } from "../api/types";
import { ChosenTool } from "../composer/ChosenTool";
import { reading } from "../composer/drafts";
import { ProblemCount } from "../composer/ProblemCount";
import { ToolFinder } from "../composer/ToolFinder";
import { TroubleNotice } from "../composer/TroubleNotice";
import { visible } from "../composer/useChecks";
import "../composer/composer.css";
import { emptyDraft, type FormDraft, SchemaForm } from "../form";
import { useKept } from "../state/kept";
import { focusFirst } from "../ui/focus";
import { SEND_KEY, useSendKey } from "../ui/keys";
import type { Played } from "./usePlayed";

const CALLERS = ["agent", "env", "user"] as const;
type Caller = (typeof CALLERS)[number];

/** Calls any tool of the world by its form: as the agent, as an event would, or as the user. */
export function CallEditor({
  scenarioKey,
  tools,
  played,
}: {
  scenarioKey: string;
  tools: WorldTool[];
  played: Played;
}) {
  const [via, setVia] = useState<Caller>("agent");
  const [name, setName] = useState<string | null>(null);
  const [drafts, setDrafts] = useState<Record<string, FormDraft>>({});
  const [problems, setProblems] = useState<Problem[]>([]);
  const [tried, setTried] = useState(false);
  const [recent, setRecent] = useKept<string[]>(`recent-world:${scenarioKey}`, []);
  const frame = useRef<HTMLElement>(null);
  const latest = useRef(0);
  const { busy, trouble, act, forget } = played;
  const offered = tools.filter((one) => one.callers.includes(via));
  const tool = offered.find((one) => one.name === name);
  const draft = tool ? (drafts[tool.name] ?? emptyDraft(tool.parameters)) : null;

  const anew = () => {
    latest.current += 1;
    setProblems([]);
    setTried(false);
    forget();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was said of another tool is over
  useEffect(anew, [name, via]);

  const call = (text: string, anyway: boolean): WorldCall => ({ tool: name ?? "", arguments: text, via, anyway });
  const check = async () => {
    const read = tool && draft ? reading(draft, tool.parameters) : null;
    if (!read || !("text" in read)) return;
    latest.current += 1;
    const number = latest.current;
    const found = await api.checkCall(scenarioKey, call(read.text, false)).catch(() => null);
    if (found && number === latest.current) setProblems(found);
  };
  const send = async (anyway: boolean) => {
    if (!tool || !draft || busy) return;
    setTried(true);
    const read = reading(draft, tool.parameters);
    if (!("text" in read)) {
      setProblems(read.problems);
      return;
    }
    if (await act(() => api.callTool(scenarioKey, call(read.text, anyway)))) {
      setRecent((before) => [...new Set([tool.name, ...before])].slice(0, 20));
      setDrafts(({ [tool.name]: _, ...rest }) => rest);
      anew();
    }
  };
  useSendKey(() => void send(false));

  const told = trouble?.problems.length ? trouble.problems : problems;
  const shapes: ToolShape[] = offered.map((one) => ({ ...one, response: null }));
  const chosen = shapes.find((one) => one.name === name);
  return (
    <section className="sc-side sc-call composer-frame" aria-label="Call a tool" ref={frame}>
      <div className="composer-modes">
        <span className="quiet">Call as</span>
        <div className="segments grow" role="radiogroup" aria-label="Call as">
          {CALLERS.map((one) => (
            // biome-ignore lint/a11y/useSemanticElements: a segment is a button to look at
            <button
              key={one}
              type="button"
              role="radio"
              aria-checked={via === one}
              className="segment"
              onClick={() => setVia(one)}
            >
              {one}
            </button>
          ))}
        </div>
      </div>
      <div className="composer-body scroll">
        {chosen && tool && draft ? (
          <>
            <ChosenTool tool={chosen} onOther={() => setName(null)} />
            <SchemaForm
              key={tool.name}
              idPrefix="world"
              schema={tool.parameters}
              draft={draft}
              onDraft={(next) => {
                setDrafts((before) => ({ ...before, [tool.name]: next }));
                forget();
              }}
              onLeave={() => void check()}
              problems={told}
              showAll={tried}
            />
          </>
        ) : (
          <ToolFinder
            tools={shapes}
            recent={recent}
            onPick={(picked) => {
              setName(picked);
              focusFirst(frame, ".sf");
            }}
          />
        )}
      </div>
      <footer className="composer-foot">
        <TroubleNotice trouble={trouble} onInsist={() => void send(true)} />
        <div className="composer-buttons">
          <ProblemCount problems={visible(told, draft, tried)} frame={frame} />
          <span className="grow" />
          <button type="button" className="button primary" disabled={busy || !tool} onClick={() => void send(false)}>
            Call
            <kbd>{SEND_KEY}</kbd>
          </button>
        </div>
      </footer>
    </section>
  );
}
