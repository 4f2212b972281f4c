import type { Drafts, SetDrafts } from "./drafts";

/** Takes what is typed before there is a field for it; the editor that comes next continues it in its first field. */
export function TypeAheadField({ drafts, setDrafts }: { drafts: Drafts; setDrafts: SetDrafts }) {
  return (
    <input
      type="text"
      className="input type-ahead"
      aria-label="Type ahead"
      placeholder="Type ahead: it is kept for your next turn"
      value={drafts.typedAhead}
      onChange={(event) => setDrafts({ typedAhead: event.target.value })}
    />
  );
}

/** An editor whose fields are not known yet. */
export function LoadingFields({ drafts, setDrafts }: { drafts: Drafts; setDrafts: SetDrafts }) {
  return (
    <div className="loading-fields">
      <p className="quiet">Loading…</p>
      <TypeAheadField drafts={drafts} setDrafts={setDrafts} />
    </div>
  );
}
