import { useState } from "react";
import { api } from "../api/client";
import { ActionErrorAlert } from "../composer/ActionErrorAlert";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { useAction } from "../ui/useAction";

/** Ends the agent's run, after a confirmation: what the run has done so far cannot be exported without an answer. */
export function StopButton({ sessionId }: { sessionId: string }) {
  const [isAsking, setAsking] = useState(false);
  const { isBusy, error, run } = useAction();
  return (
    <>
      <button type="button" className="button small danger" onClick={() => setAsking(true)}>
        <Icon name="stop" />
        Stop
      </button>
      {isAsking ? (
        <Dialog
          title="Stop the run?"
          onClose={() => setAsking(false)}
          footer={
            <>
              {/* biome-ignore lint/a11y/noAutofocus: the harmless answer is the one that Enter gives */}
              <button type="button" className="button" autoFocus onClick={() => setAsking(false)}>
                Keep running
              </button>
              <button
                type="button"
                className="button danger"
                disabled={isBusy}
                onClick={() => void run(() => api.stopRun(sessionId))}
              >
                Stop the run
              </button>
            </>
          }
        >
          <p>
            The running tools are cancelled, and the agent does not answer the user's last message. The session stays,
            and the turns that were answered before can be exported.
          </p>
          <ActionErrorAlert error={error} />
        </Dialog>
      ) : null}
    </>
  );
}
