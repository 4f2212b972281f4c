import type { TimelineRow } from "../api/types";
import { useFetch } from "../api/useFetch";
import { useRowSource } from "../timeline/rowSource";
import { ErrorAlert } from "../ui/ErrorAlert";
import { VerdictView } from "./VerdictView";

/** The verdict that a row of the timeline shows; its events lead to their rows. */
export function RowVerdict({ sessionId, row }: { sessionId: string; row: TimelineRow }) {
  const { getVerdict } = useRowSource();
  const { data, error } = useFetch(() => getVerdict(sessionId, row.index), `${sessionId} ${row.index}`);
  if (error) return <ErrorAlert title={error} />;
  if (!data) return <div className="row-body quiet">Loading…</div>;
  return <VerdictView verdict={data} />;
}
