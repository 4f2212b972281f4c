import { Dialog } from "../ui/Dialog";
import { formatCount } from "../ui/format";
import { CallList } from "./CallStack";
import type { StackedCall } from "./drafts";

/** Asks what a final response means for the calls that were collected or filled in for the same turn. */
export function UnsentCallsDialog({
  stack,
  callText,
  canExecute,
  canSayWithCalls,
  onExecute,
  onRespond,
  onClose,
}: {
  /** The collected calls, and those whose forms are filled in. */
  stack: StackedCall[];
  /** The text that was typed to go with the calls. */
  callText: string;
  /** Whether the arguments of all calls can be read. */
  canExecute: boolean;
  /** Whether the response is a text, which a model can send together with calls. */
  canSayWithCalls: boolean;
  onExecute: () => void;
  onRespond: () => void;
  onClose: () => void;
}) {
  const calls = formatCount(stack.length, "call");
  return (
    <Dialog
      title={stack.length ? `${calls} of this turn ${stack.length === 1 ? "is" : "are"} not executed` : "Unsent text"}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Back
          </button>
          <button type="button" className="button danger" onClick={onRespond}>
            {stack.length
              ? `Send the response without the ${stack.length === 1 ? "call" : "calls"}`
              : "Send without it"}
          </button>
          {canSayWithCalls && canExecute && stack.length ? (
            <button type="button" className="button primary" onClick={onExecute}>
              Execute {calls} and say this
            </button>
          ) : null}
        </>
      }
    >
      {stack.length ? (
        <>
          <p>
            A final response ends the turn.
            {canSayWithCalls
              ? " The calls can be executed together with your text, as a model may do; then the agent continues."
              : " A structured response cannot be sent together with calls."}
          </p>
          <CallList stack={stack} />
        </>
      ) : null}
      {callText.trim() ? (
        <p>
          This text was typed to go with a call, and is not part of the response: <q>{callText}</q>
        </p>
      ) : null}
    </Dialog>
  );
}
