import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { ToolInfo } from "../api/types";
import { Icon } from "../ui/Icon";
import { isPlainEnter } from "../ui/keyboard";

/** A searchable tool list, in the order of the agent. With a search, tools that it names come first. */
export function ToolFinder({
  tools,
  query,
  onQuery,
  onPick,
  onInvent,
  onSlash,
  onRespond,
}: {
  tools: ToolInfo[];
  /** What is searched for; the owner keeps it while something else is shown. */
  query: string;
  onQuery: (query: string) => void;
  onPick: (name: string) => void;
  /** A tool that is not offered was chosen, as a model could hallucinate it. */
  onInvent?: (name: string) => void;
  /** `/` was pressed in the empty search. */
  onSlash?: () => void;
  /** The search is no search, but the beginning of a response. */
  onRespond?: (() => void) | undefined;
}) {
  const [position, setPosition] = useState(0);
  const matches = findTools(tools, query);
  const invented = onInvent ? findInventedName(tools, query) : "";
  const lastPosition = matches.length - (invented ? 0 : 1);
  const selected = Math.min(position, lastPosition);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another option is selected, which may be off the screen
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setPosition(Math.max(0, Math.min(lastPosition, selected + step)));
    }
    if (event.key === "/" && query === "") {
      event.preventDefault();
      onSlash?.();
    }
    const selectedTool = matches[selected];
    if (isPlainEnter(event)) {
      event.preventDefault();
      if (selectedTool) onPick(selectedTool.name);
      else if (invented) onInvent?.(invented);
    }
  };
  return (
    <div className="finder">
      <label className="find finder-find">
        <Icon name="search" />
        <span className="sr-only">Find a tool</span>
        <input
          type="search"
          role="combobox"
          aria-expanded="true"
          aria-controls="finder-list"
          aria-activedescendant={selected < 0 ? undefined : getOptionId(selected)}
          placeholder="find a tool  /"
          value={query}
          data-shortcut="tool"
          onChange={(event) => {
            onQuery(event.target.value);
            setPosition(0);
          }}
          onKeyDown={handleKey}
        />
      </label>
      <div ref={list} id="finder-list" className="finder-list" role="listbox" aria-label="Tools">
        {matches.map((tool, index) => (
          <button
            key={tool.name}
            id={getOptionId(index)}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            className="finder-item"
            onClick={() => onPick(tool.name)}
          >
            <span className="finder-name">
              <b className="mono">{tool.name}</b>
              <span className="mono quiet">{formatRequired(tool)}</span>
              {tool.asks_for_consent ? <span className="quiet finder-consent">may ask for consent</span> : null}
            </span>
            <span className="quiet finder-line">{tool.description.split("\n")[0]}</span>
          </button>
        ))}
        {invented ? (
          <button
            id={getOptionId(matches.length)}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={selected === matches.length}
            className="finder-item"
            onClick={() => onInvent?.(invented)}
          >
            <span className="finder-name">
              Call <b className="mono">{invented}</b> although it is not offered
            </span>
            <span className="quiet finder-line">A model could make this name up.</span>
          </button>
        ) : null}
      </div>
      {matches.length === 0 ? (
        <p className="quiet finder-none">
          No tools match.{" "}
          {onRespond ? (
            <button type="button" className="button small" onClick={onRespond}>
              Use the text as the final response
            </button>
          ) : null}
        </p>
      ) : null}
    </div>
  );
}

/** The tools whose name or description contains every word. The order never depends on what was called before. */
export function findTools(tools: ToolInfo[], query: string): ToolInfo[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matchingTools = tools.filter((tool) => {
    const text = `${tool.name} ${tool.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const isNamed = (tool: ToolInfo) => words.every((word) => tool.name.toLowerCase().includes(word));
  return matchingTools.toSorted((left, right) => Number(isNamed(right)) - Number(isNamed(left)));
}

/** The name that is typed, if it could be one of a tool and no tool has it; else empty. */
export function findInventedName(tools: ToolInfo[], query: string): string {
  const name = query.trim();
  const isName = /^[\p{L}_][\p{L}\p{N}_.:-]*$/u.test(name);
  return isName && !tools.some((tool) => tool.name === name) ? name : "";
}

/** The id of an option, by which the search says which one is selected. */
function getOptionId(index: number): string {
  return `finder-option-${index}`;
}

function formatRequired(tool: ToolInfo): string {
  return ((tool.parameters.required ?? []) as string[]).join(", ");
}
