import { type KeyboardEvent, useState } from "react";
import type { ToolInfo } from "../api/types";
import { Icon } from "../ui/Icon";

/** A searchable tool list, in the order of the agent. With a search, tools that it names come first. */
export function ToolFinder({
  tools,
  onPick,
  onSlash,
}: {
  tools: ToolInfo[];
  onPick: (name: string) => void;
  /** `/` was pressed in the empty search. */
  onSlash?: () => void;
}) {
  const [query, setQuery] = useState("");
  const [position, setPosition] = useState(0);
  const matches = findTools(tools, query);
  const selected = Math.min(position, matches.length - 1);
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setPosition(Math.max(0, Math.min(matches.length - 1, selected + step)));
    }
    if (event.key === "/" && query === "") {
      event.preventDefault();
      onSlash?.();
    }
    const chosen = matches[selected];
    if (event.key === "Enter" && chosen && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      onPick(chosen.name);
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
          placeholder="find a tool  /"
          value={query}
          data-shortcut="tool"
          onChange={(event) => {
            setQuery(event.target.value);
            setPosition(0);
          }}
          onKeyDown={handleKey}
        />
      </label>
      <div id="finder-list" className="finder-list" role="listbox" aria-label="Tools">
        {matches.map((tool, index) => (
          <button
            key={tool.name}
            type="button"
            role="option"
            aria-selected={index === selected}
            className="finder-item"
            onClick={() => onPick(tool.name)}
          >
            <span className="finder-name">
              <b className="mono">{tool.name}</b>
              <span className="mono quiet">{formatRequired(tool)}</span>
            </span>
            <span className="quiet finder-line">{tool.description.split("\n")[0]}</span>
          </button>
        ))}
        {matches.length === 0 ? <p className="quiet finder-none">No tools match.</p> : null}
      </div>
    </div>
  );
}

/** The tools whose name or description contains every word. The order never depends on what was called before. */
export function findTools(tools: ToolInfo[], query: string): ToolInfo[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = tools.filter((tool) => {
    const text = `${tool.name} ${tool.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const isNamed = (tool: ToolInfo) => words.every((word) => tool.name.toLowerCase().includes(word));
  return matching.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)));
}

function formatRequired(tool: ToolInfo): string {
  return ((tool.parameters.required ?? []) as string[]).join(", ");
}
