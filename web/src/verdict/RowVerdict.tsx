import type { TimelineRow } from "../api/types";
import { useFetch } from "../api/useFetch";
import { useRowNavigation } from "../timeline/rowNavigation";
import { useRowSource } from "../timeline/rowSource";
import { ErrorAlert } from "../ui/ErrorAlert";
import { VerdictView } from "./VerdictView";

/** The verdict that a row of the timeline shows; its events lead to their rows. */
export function RowVerdict({ sessionId, row }: { sessionId: string; row: TimelineRow }) {
  const { getVerdict } = useRowSource();
  const { data, error } = useFetch(() => getVerdict(sessionId, row.index), `${sessionId} ${row.index}`);
  const goToRow = useRowNavigation();
  if (error) return <ErrorAlert title={error} />;
  if (!data) return <div className="row-body quiet">Loading…</div>;
  return (
    <VerdictView
      verdict={data}
      canOpen={(event) => event.row_index !== null}
      onOpen={(event) => {
        if (event.row_index !== null) goToRow(event.row_index);
      }}
    />
  );
}
