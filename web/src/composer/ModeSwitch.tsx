import type { Drafts } from "./drafts";

/** Switches between calling tools and sending the final response. */
export function ModeSwitch({
  mode,
  canCall,
  onMode,
}: {
  mode: Drafts["mode"];
  canCall: boolean;
  onMode: (mode: Drafts["mode"]) => void;
}) {
  return (
    <div className="segments grow" role="radiogroup" aria-label="What to do">
      {(["call", "answer"] as const).map((one) => (
        // biome-ignore lint/a11y/useSemanticElements: it is a button styled as a segment
        <button
          key={one}
          type="button"
          role="radio"
          aria-checked={one === mode}
          className="segment"
          disabled={one === "call" && !canCall}
          onClick={() => onMode(one)}
        >
          {one === "call" ? "Call a Tool" : "Send Final Response"}
        </button>
      ))}
    </div>
  );
}
