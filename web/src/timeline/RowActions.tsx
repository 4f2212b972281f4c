import { useState } from "react";
import type { RowDetail, SessionRecord, TimelineRow } from "../api/types";
import { requestCall } from "../composer/requestedCalls";
import { parse, stringify } from "../json/lossless";
import { findModelTurn } from "../state/sessionStatus";
import { TimeTravelMenu } from "../timetravel/TimeTravelMenu";
import { CopyButton } from "../ui/CopyButton";
import { Icon } from "../ui/Icon";
import type { Note } from "./noteDraft";
import { NoteButton } from "./RowNote";
import { isShownInPreview } from "./RowPreview";
import { useRowSource } from "./rowSource";

/** What can be done with a row; visible while the pointer or the focus is on it. */
export function RowActions({ session, row, note }: { session: SessionRecord; row: TimelineRow; note?: Note }) {
  const [error, setError] = useState("");
  const { getRow, takesNotes } = useRowSource();
  const place = `${row.subject || row.kind}, row ${row.index + 1}`;
  const load = () => getRow(session.session_id, row.index, true);
  const callAgain = () => {
    load().then(
      (detail) => requestCall(session.session_id, { tool: row.subject, arguments: findArguments(detail) }),
      () => setError("not loaded"),
    );
  };
  const canCallAgain = row.kind === "call" && row.subject !== "" && findModelTurn(session) !== undefined;
  return (
    <span className="row-actions">
      {canCallAgain ? (
        <button
          type="button"
          className="button plain small"
          title="Open the tool's form with these arguments"
          aria-label={`Call again: ${place}`}
          onClick={callAgain}
        >
          <Icon name="call" />
          {error || "Call again"}
        </button>
      ) : null}
      <CopyButton text={async () => formatRow(await load())} accessibleName={`Copy: ${place}`} />
      {note && takesNotes ? <NoteButton row={row} note={note} /> : null}
      <TimeTravelMenu row={row} />
    </span>
  );
}

/** The arguments as the model gave them, on one line. */
export function findArguments(detail: RowDetail): string {
  const text = detail.values.find((value) => value.label === "arguments")?.text;
  return text === undefined ? "{}" : stringify(parse(text));
}

/** The result or the text of a row; of one that has neither, all of it. */
export function formatRow(detail: RowDetail): string {
  const results = detail.values.filter(isShownInPreview);
  return (results.length ? results : detail.values).map((value) => value.text).join("\n\n");
}
