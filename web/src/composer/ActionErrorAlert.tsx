import { ErrorAlert } from "../ui/ErrorAlert";
import type { ActionError } from "../ui/useAction";

/** Why a request was rejected, with "Send anyway" where the server allows it. */
export function ActionErrorAlert({ error, onForce }: { error: ActionError | null; onForce?: () => void }) {
  if (!error) return null;
  return (
    <ErrorAlert title={error.problems.length ? "Not sent. The problems are shown at their fields." : error.message}>
      {error.canForce && onForce ? (
        <button type="button" className="button small danger" onClick={onForce}>
          Send anyway
        </button>
      ) : null}
    </ErrorAlert>
  );
}
