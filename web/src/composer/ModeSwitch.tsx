import { RadioButtons } from "../ui/RadioButtons";
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
    <RadioButtons
      label="What to do"
      className="segments grow"
      options={[
        { value: "call", label: "Call a Tool", disabled: !canCall },
        { value: "answer", label: "Send Final Response" },
      ]}
      value={mode}
      onChange={onMode}
    />
  );
}
