import { useState } from "react";
import { api } from "../api/client";
import type { ExportOrder, ExportResult, SessionShape } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { app } from "../state/app";
import { useAction } from "../ui/action";
import { CopyButton } from "../ui/CopyButton";
import { Dialog } from "../ui/Dialog";
import { Failure } from "../ui/Failure";
import { ago, count } from "../ui/format";

type Format = ExportOrder["format"] & string;

/** Writes the session as a golden trace, and shows what was written. */
export function ExportDialog({ session, onClose }: { session: SessionShape; onClose: () => void }) {
  const [format, setFormat] = useState<Format>("evalset");
  const [result, setResult] = useState<ExportResult | null>(null);
  const { busy, trouble, run, forget } = useAction();
  const agent = app.agent(session.agent);
  const before = (session.exports ?? []).filter((one) => one.format === format);
  const write = (insist: Partial<ExportOrder> = {}) =>
    run(async () => {
      setResult(await api.export(session.session_id, { format, again: false, anyway: false, ...insist }));
      void app.refresh();
    });
  const twice = trouble?.error === "ExportedBefore";
  return (
    <Dialog
      title="Export a golden trace"
      onClose={onClose}
      foot={
        result ? (
          <button type="button" className="button primary" onClick={onClose}>
            Done
          </button>
        ) : (
          <>
            <button type="button" className="button" onClick={onClose}>
              Not now
            </button>
            <button type="button" className="button primary" disabled={busy} onClick={() => void write()}>
              {format === "evalset" ? "Write the case" : "Write the fixture"}
            </button>
          </>
        )
      }
    >
      {result ? (
        <Written result={result} />
      ) : (
        <>
          <div className="segments" role="radiogroup" aria-label="Format">
            {(["evalset", "adk_test"] as const).map((one) => (
              // biome-ignore lint/a11y/useSemanticElements: a segment is a button to look at
              <button
                key={one}
                type="button"
                role="radio"
                aria-checked={format === one}
                className="segment"
                onClick={() => {
                  setFormat(one);
                  forget();
                }}
              >
                {one === "evalset" ? "Case of an EvalSet" : "Fixture for adk test"}
              </button>
            ))}
          </div>
          {format === "evalset" ? (
            <p>
              Appends this session as a case to <code>{agent?.eval_set_path ?? "the EvalSet"}</code>
              {agent?.eval_cases == null ? ", which is made." : `, which holds ${count(agent.eval_cases, "case")}.`}{" "}
              <span className="quiet">
                <code>adk eval</code> compares your calls and answers with those of the agent's model.
              </span>
            </p>
          ) : (
            <p>
              Writes a file that <code>adk test</code> replays, comparing every event.{" "}
              <span className="quiet">It finds out when a tool, a prompt or a callback changes what happens.</span>
            </p>
          )}
          {before.length && !trouble ? (
            <p className="notice">
              Exported {ago(before.at(-1)?.at ?? 0)} as <code>{before.at(-1)?.eval_id}</code>.
            </p>
          ) : null}
          {trouble ? (
            <Failure title={trouble.message}>
              {trouble.canInsist ? (
                <button
                  type="button"
                  className="button small"
                  onClick={() => void write(twice ? { again: true } : { again: true, anyway: true })}
                >
                  {twice ? "Export again" : "Write it anyway"}
                </button>
              ) : null}
            </Failure>
          ) : null}
        </>
      )}
    </Dialog>
  );
}

function Written({ result }: { result: ExportResult }) {
  return (
    <>
      <p>
        Written as <code>{result.exported.eval_id}</code> to <code>{result.exported.path}</code>.
      </p>
      <div className="command">
        <pre className="grow">{result.command}</pre>
        <CopyButton text={result.command} />
      </div>
      {result.notes.map((note) => (
        <p key={note} className="notice">
          {note}
        </p>
      ))}
      <details>
        <summary>The case</summary>
        <JsonTextTree text={result.case} />
      </details>
    </>
  );
}
