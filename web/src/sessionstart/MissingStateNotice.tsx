import { api } from "../api/client";
import type { SessionRecord } from "../api/types";
import { useFetch } from "../api/useFetch";
import { StateEditor } from "./StateEditor";

/** Offers to set the keys of the state that the instruction needs and that are not there; nothing if all are. */
export function MissingStateNotice({ session }: { session: SessionRecord }) {
  const { data } = useFetch(
    () => api.getStateNeeds(session.session_id),
    `${session.session_id}/${session.last_seq}/needs`,
  );
  const keys = data?.missing_keys ?? [];
  if (keys.length === 0) return null;
  return (
    <section className="notice" aria-label="Missing state">
      <span>
        The instruction needs{" "}
        {keys.map((key, index) => (
          <span key={key}>
            {index ? ", " : ""}
            <code>{`{${key}}`}</code>
          </span>
        ))}
        , which the session state does not have. Unless the agent's code sets it before, the run fails.
      </span>
      <StateEditor sessionId={session.session_id} neededKeys={keys} hasJson={false} />
    </section>
  );
}
