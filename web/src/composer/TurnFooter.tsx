import { type RefObject, useEffect, useState } from "react";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/Icon";
import { ignoreDoubleClick } from "../ui/ignoreDoubleClick";
import { SEND_KEY } from "../ui/keyboard";
import type { ActionError } from "../ui/useAction";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { CallStack } from "./CallStack";
import type { Drafts, SetDrafts } from "./drafts";
import { ProblemCount } from "./ProblemCount";
import { UnsentCallsDialog } from "./UnsentCallsDialog";
import type { TurnActions } from "./useTurnActions";
import type { TurnForms } from "./useTurnForms";

/** Below the editor of a turn: the collected calls, the text beside them, and the buttons that send. */
export function TurnFooter({
  turnId,
  drafts,
  setDrafts,
  forms,
  actions,
  isBusy,
  error,
  frame,
}: {
  turnId: string;
  drafts: Drafts;
  setDrafts: SetDrafts;
  forms: TurnForms;
  actions: TurnActions;
  isBusy: boolean;
  error: ActionError | null;
  frame: RefObject<HTMLElement | null>;
}) {
  const { tool, isAnswering, responseForm } = forms;
  const [isTextOpen, setTextOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next turn begins without a text
  useEffect(() => setTextOpen(false), [turnId]);
  const hasCalls = !isAnswering && (tool !== undefined || drafts.stack.length > 0);
  // The text is the only field of a call without parameters: what is typed there must not press Execute.
  const hasOtherFields = !tool || Object.keys(tool.parameters.properties ?? {}).length > 0;
  const showsText = hasCalls && (isTextOpen || drafts.callText !== "" || !hasOtherFields);
  const canSend = isAnswering ? responseForm !== null || drafts.answer.trim() !== "" : hasCalls;
  const callCount = drafts.stack.length + (tool ? 1 : 0);
  return (
    <footer className="composer-foot">
      {actions.isAskingAboutCalls ? (
        <UnsentCallsDialog
          stack={[...drafts.stack, ...actions.filledForms]}
          callText={drafts.callText}
          canExecute={actions.filledForms.every((form) => form.isReadable)}
          canSayWithCalls={responseForm === null}
          onExecute={actions.executeStack}
          onRespond={actions.respondOnly}
          onClose={actions.closeQuestion}
        />
      ) : null}
      <ActionErrorAlert error={error} onForce={() => actions.send(true)} />
      <CallStack stack={drafts.stack} onChange={(stack) => setDrafts({ stack })} onEdit={actions.editCall} />
      {showsText ? (
        <textarea
          id="call-text"
          className="input call-text"
          rows={1}
          aria-label="Say with the call"
          placeholder="What the agent says before it calls"
          value={drafts.callText}
          onChange={(event) => setDrafts({ callText: event.target.value })}
        />
      ) : null}
      <div className="composer-buttons">
        <ProblemCount problems={forms.visibleProblems} frame={frame} />
        <span className="grow" />
        {hasCalls && !showsText ? (
          <button
            type="button"
            className="button plain icon-only"
            title="Say something with the call"
            aria-label="Say something with the call"
            onClick={() => setTextOpen(true)}
          >
            <Icon name="say" />
          </button>
        ) : null}
        {!isAnswering && tool ? (
          <button
            type="button"
            className="button"
            disabled={isBusy}
            onClick={ignoreDoubleClick(() => void actions.addCall())}
          >
            <Icon name="plus" />
            Add to turn
          </button>
        ) : null}
        <button
          type="button"
          className="button primary"
          disabled={isBusy || !canSend}
          onClick={ignoreDoubleClick(() => actions.send(false))}
        >
          {isAnswering
            ? "Send Final Response"
            : drafts.stack.length
              ? `Execute ${formatCount(callCount, "call")}`
              : "Execute"}
          <kbd>{SEND_KEY}</kbd>
        </button>
      </div>
    </footer>
  );
}
