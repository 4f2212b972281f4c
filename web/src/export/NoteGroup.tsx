import { CodeText } from "../ui/CodeText";

/** Notes about an export under a title; nothing if there are none. */
export function NoteGroup({ title, notes }: { title: string; notes: string[] }) {
  if (notes.length === 0) return null;
  return (
    <section className="notice" aria-label={title}>
      <b>{title}</b>
      <ul className="export-notes">
        {notes.map((note) => (
          <li key={note}>
            <CodeText text={note} />
          </li>
        ))}
      </ul>
    </section>
  );
}
