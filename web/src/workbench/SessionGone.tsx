import { useDrafts } from "../composer/drafts";
import { PageFrame } from "../pages/PageFrame";
import { app } from "../state/app";
import { route } from "../state/route";
import { CopyButton } from "../ui/CopyButton";

/** The server has no such session; unsent input is still in this browser. */
export function SessionGone({ sessionId, message }: { sessionId: string; message: string }) {
  const [drafts] = useDrafts(sessionId);
  const typed = [drafts.message, drafts.answer].filter((text) => text.trim()).join("\n\n");
  return (
    <PageFrame title="Session not found">
      <div className="empty">
        <p>{message}</p>
        {app.server?.is_persistent ? (
          <p>When the server stops, it keeps the sessions in which something has happened.</p>
        ) : (
          <p>This server keeps sessions only while it runs. A restart deletes them.</p>
        )}
        {typed ? (
          <div className="notice">
            Your unsent input:
            <pre>{typed}</pre>
            <CopyButton text={typed} />
          </div>
        ) : null}
        <button type="button" className="button primary" onClick={() => route.navigate("/agents")}>
          Choose an agent
        </button>
      </div>
    </PageFrame>
  );
}
