import { type KeyboardEvent, useState } from "react";
import type { ToolShape } from "../api/types";
import { Icon } from "../ui/Icon";

/** Finds a tool by typing; those used last come first. */
export function ToolFinder({
  tools,
  recent,
  onPick,
}: {
  tools: ToolShape[];
  recent: string[];
  onPick: (name: string) => void;
}) {
  const [find, setFind] = useState("");
  const [at, setAt] = useState(0);
  const found = ranked(tools, recent, find);
  const place = Math.min(at, found.length - 1);
  const key = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setAt(Math.max(0, Math.min(found.length - 1, place + step)));
    }
    const chosen = found[place];
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
          value={find}
          data-shortcut="tool"
          onChange={(event) => {
            setFind(event.target.value);
            setAt(0);
          }}
          onKeyDown={key}
        />
      </label>
      <div id="finder-list" className="finder-list" role="listbox" aria-label="Tools">
        {found.map((tool, index) => (
          <button
            key={tool.name}
            type="button"
            role="option"
            aria-selected={index === place}
            className="finder-item"
            onClick={() => onPick(tool.name)}
          >
            <span className="finder-name">
              <b className="mono">{tool.name}</b>
              <span className="mono quiet">{signature(tool)}</span>
            </span>
            <span className="quiet finder-line">{tool.description.split("\n")[0]}</span>
          </button>
        ))}
        {found.length === 0 ? <p className="quiet finder-none">No tool matches.</p> : null}
      </div>
    </div>
  );
}

function ranked(tools: ToolShape[], recent: string[], find: string): ToolShape[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = tools.filter((tool) => {
    const text = `${tool.name} ${tool.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rank = (tool: ToolShape) => {
    const place = recent.indexOf(tool.name);
    const used = place < 0 ? recent.length : place;
    return words.length && tool.name.toLowerCase().includes(words[0] ?? "") ? used - 1000 : used;
  };
  return matching.toSorted((one, other) => rank(one) - rank(other));
}

function signature(tool: ToolShape): string {
  return ((tool.parameters.required ?? []) as string[]).join(", ");
}
