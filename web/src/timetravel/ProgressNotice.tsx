import type { TimeTravelProgress } from "../api/types";

/** Says what the replay of a session waits for; nothing while it goes on. */
export function ProgressNotice({ progress }: { progress: TimeTravelProgress | null }) {
  if (!progress) return null;
  return (
    <p className="notice time-travel-progress" role="status">
      The run is replayed, and waits for {progress.waits_for}.
    </p>
  );
}
