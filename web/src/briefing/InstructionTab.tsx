import type { Briefing, InstructionPart } from "../api/types";
import { Markdown } from "../markdown/Markdown";
import { useStoredState } from "../state/storedState";
import { ErrorAlert } from "../ui/ErrorAlert";

/** The agent's instruction, with what ADK adds to it. */
export function InstructionTab({ briefing }: { briefing: Briefing | null }) {
  const [open, setOpen] = useStoredState("instruction-open", true);
  if (!briefing) return <p className="quiet">Loading…</p>;
  return (
    <>
      {briefing.problem ? <ErrorAlert title={briefing.problem} /> : null}
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button */}
        <summary
          className="briefing-agent"
          onClick={(event) => {
            // `toggle` comes after the change is on the screen, and a reload in between would undo what was pressed.
            // It is for what no press opens: a search of the browser.
            event.preventDefault();
            setOpen(!open);
          }}
        >
          <b>{briefing.agent_name}</b>
          {briefing.model ? <span className="quiet">{briefing.model}</span> : null}
        </summary>
        {briefing.is_template ? (
          <p className="notice">This is the template: the variables in braces are filled when the agent runs.</p>
        ) : null}
        {briefing.instruction_parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their order
          <InstructionPartView key={index} part={part} />
        ))}
        {briefing.instruction || briefing.problem ? null : (
          <p className="quiet">{briefing.note || "This agent has no instruction."}</p>
        )}
      </details>
    </>
  );
}

function InstructionPartView({ part }: { part: InstructionPart }) {
  if (!part.is_from_adk) return <Markdown text={part.text} />;
  return (
    <section className="adk-part" aria-label="Added by ADK">
      <div className="quiet">Added by ADK</div>
      <Markdown text={part.text} />
    </section>
  );
}
