import { useEffect, useRef, useState } from "react";
import { api } from "../api/client";
import type { FieldProblem, ToolInfo, WorldCallInput, WorldTool } from "../api/types";
import { ActionErrorAlert } from "../composer/ActionErrorAlert";
import { readFormJson } from "../composer/drafts";
import { ProblemCount } from "../composer/ProblemCount";
import { SelectedTool } from "../composer/SelectedTool";
import { ToolFinder } from "../composer/ToolFinder";
import { useFirstFieldFocus } from "../composer/useFirstFieldFocus";
import { filterVisibleProblems } from "../composer/useFormCheck";
import { useWasRejected } from "../composer/useWasRejected";
import "../composer/composer.css";
import { createDraft, type FormDraft, SchemaForm } from "../form";
import { SEND_KEY, useSendKey } from "../ui/keyboard";
import { RadioButtons } from "../ui/RadioButtons";
import type { WorldSession } from "./useWorldSession";

const CALLERS = ["agent", "env", "user"] as const;
type Caller = (typeof CALLERS)[number];

/** Calls any tool of the world by its form: as the agent, as an event would, or as the user. */
export function WorldCallEditor({
  scenarioKey,
  tools,
  worldSession,
}: {
  scenarioKey: string;
  tools: WorldTool[];
  worldSession: WorldSession;
}) {
  const [caller, setCaller] = useState<Caller>("agent");
  const [name, setName] = useState<string | null>(null);
  const [find, setFind] = useState("");
  const [drafts, setDrafts] = useState<Record<string, FormDraft>>({});
  const [problems, setProblems] = useState<FieldProblem[]>([]);
  const frame = useRef<HTMLElement>(null);
  const latest = useRef(0);
  const { isBusy, error, runAction, clearError } = worldSession;
  const [wasRejected, setWasRejected] = useWasRejected(error);
  const callerTools = tools.filter((tool) => tool.callers.includes(caller));
  const tool = callerTools.find((tool) => tool.name === name);
  const draft = tool ? (drafts[tool.name] ?? createDraft(tool.parameters)) : null;

  const resetProblems = () => {
    latest.current += 1;
    setProblems([]);
    setWasRejected(false);
    clearError();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: problems of another tool do not concern this one
  useEffect(resetProblems, [name, caller]);

  const buildCall = (text: string, force: boolean): WorldCallInput => ({
    tool_name: name ?? "",
    arguments: text,
    caller,
    force,
  });
  const checkCall = async () => {
    const read = tool && draft ? readFormJson(draft, tool.parameters) : null;
    if (!read || !("text" in read)) return;
    latest.current += 1;
    const number = latest.current;
    const problems = await api.checkWorldCall(scenarioKey, buildCall(read.text, false)).catch(() => null);
    if (problems && number === latest.current) setProblems(problems);
  };
  const send = async (force: boolean) => {
    if (!tool || !draft || isBusy) return;
    const read = readFormJson(draft, tool.parameters);
    if (!("text" in read)) {
      latest.current += 1;
      setProblems(read.problems);
      setWasRejected(true);
      return;
    }
    if (await runAction(() => api.callWorldTool(scenarioKey, buildCall(read.text, force)))) {
      // What was typed since is for the next call.
      setDrafts((before) => {
        const { [tool.name]: now, ...rest } = before;
        const formText = now ? readFormJson(now, tool.parameters) : read;
        return "text" in formText && formText.text === read.text ? rest : before;
      });
      resetProblems();
    }
  };
  useSendKey(() => void send(false));
  useFirstFieldFocus(frame, name ?? "");

  const shownProblems = error?.problems.length ? error.problems : problems;
  const toolList: ToolInfo[] = callerTools.map((tool) => ({ ...tool, response_schema: null, asks_for_consent: false }));
  const selectedTool = toolList.find((tool) => tool.name === name);
  return (
    <section className="sc-side sc-call composer-frame" aria-label="Call a tool" ref={frame}>
      <div className="composer-modes">
        <span className="quiet">Call as</span>
        <RadioButtons
          label="Call as"
          className="segments grow"
          options={CALLERS.map((option) => ({ value: option, label: option }))}
          value={caller}
          onChange={setCaller}
        />
      </div>
      <div className="composer-body scroll">
        {selectedTool && tool && draft ? (
          <>
            <SelectedTool tool={selectedTool} onChangeTool={() => setName(null)} />
            <SchemaForm
              key={tool.name}
              idPrefix="world"
              schema={tool.parameters}
              draft={draft}
              onDraft={(next) => {
                setDrafts((before) => ({ ...before, [tool.name]: next }));
                clearError();
              }}
              onLeave={() => void checkCall()}
              problems={shownProblems}
              showAll={wasRejected}
            />
          </>
        ) : (
          <ToolFinder
            tools={toolList}
            query={find}
            onQuery={setFind}
            onPick={(picked) => {
              setFind("");
              setName(picked);
            }}
          />
        )}
      </div>
      <footer className="composer-foot">
        <ActionErrorAlert error={error} onForce={() => void send(true)} />
        <div className="composer-buttons">
          <ProblemCount problems={filterVisibleProblems(shownProblems, draft, wasRejected)} frame={frame} />
          <span className="grow" />
          <button type="button" className="button primary" disabled={isBusy || !tool} onClick={() => void send(false)}>
            Call
            <kbd>{SEND_KEY}</kbd>
          </button>
        </div>
      </footer>
    </section>
  );
}
