import type { TravelProgress } from "../api/types";

/** Says what the replay of a session waits for; nothing while it goes on. */
export function ProgressNotice({ progress }: { progress: TravelProgress | null }) {
  if (!progress) return null;
  return (
    <p className="notice travel-progress" role="status">
      The run is replayed, and waits for {progress.waits_for}.
    </p>
  );
}
