import type { Trouble } from "../ui/action";
import { Failure } from "../ui/Failure";

/** Why something was not sent; and the way to send it all the same, where there is one. */
export function TroubleNotice({ trouble, onInsist }: { trouble: Trouble | null; onInsist?: () => void }) {
  if (!trouble) return null;
  return (
    <Failure title={trouble.problems.length ? "Not sent: what is wrong stands at the fields." : trouble.message}>
      {trouble.canInsist && onInsist ? (
        <button type="button" className="button small danger" onClick={onInsist}>
          Send anyway
        </button>
      ) : null}
    </Failure>
  );
}
