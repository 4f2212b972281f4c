import type { ToolInfo } from "../api/types";

/** The tool being called, with its description. */
export function SelectedTool({
  tool,
  isOffered = true,
  onChangeTool,
}: {
  tool: ToolInfo;
  isOffered?: boolean;
  onChangeTool: () => void;
}) {
  const [first = "", ...rest] = tool.description.trim().split("\n\n");
  const more = rest.join("\n\n").trim();
  return (
    <>
      <div className="chosen-tool">
        <b className="mono">{tool.name}</b>
        {isOffered ? null : <span className="not-offered">not offered</span>}
        {tool.asks_for_consent ? (
          <span className="quiet" title="A call of this tool may ask the user for consent">
            may ask for consent
          </span>
        ) : null}
        <span className="grow" />
        <button type="button" className="button plain small" onClick={onChangeTool}>
          Other tool
        </button>
      </div>
      {first ? <p className="quiet chosen-line">{first}</p> : null}
      {more ? (
        <details className="chosen-line quiet">
          <summary>More</summary>
          {more}
        </details>
      ) : null}
    </>
  );
}
