import { useRef, useState } from "react";
import type { FilePart } from "../api/types";
import { forget, useKept } from "../state/kept";
import { size } from "../ui/format";
import { Icon } from "../ui/Icon";

/** A file as it travels. */
export async function filePart(file: File): Promise<FilePart> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
  return {
    name: file.name || "pasted",
    mime_type: file.type || "application/octet-stream",
    data: url.slice(url.indexOf(",") + 1),
  };
}

const KEPT_CHARACTERS = 1_500_000;

/** Files that a reload does not lose, while they are small; of larger ones the names of those that were lost. */
export function useFiles(sessionId: string): [FilePart[], (files: FilePart[]) => void, string[]] {
  const [kept, keep] = useKept<FilePart[]>(`files:${sessionId}`, []);
  const [files, setFiles] = useState(() => kept.filter((file) => file.data));
  const [lost, setLost] = useState(() => kept.filter((file) => !file.data).map((file) => file.name));
  const set = (next: FilePart[]) => {
    setFiles(next);
    setLost([]);
    const size = next.reduce((sum, file) => sum + file.data.length, 0);
    keep(size <= KEPT_CHARACTERS ? next : next.map((file) => ({ ...file, data: "" })));
    if (next.length === 0) forget(`files:${sessionId}`);
  };
  return [files, set, lost];
}

/** The files that go with a message. */
export function Files({
  files,
  onAdd,
  onDrop,
}: {
  files: FilePart[];
  onAdd: (files: File[]) => void;
  onDrop: (place: number) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="files">
      {files.map((file, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
        <span key={place} className="file">
          {file.mime_type.startsWith("image/") ? (
            <img src={`data:${file.mime_type};base64,${file.data}`} alt="" />
          ) : (
            <Icon name="artifact" />
          )}
          <span className="file-name">{file.name}</span>
          <span className="quiet">{size((file.data.length * 3) / 4)}</span>
          <button
            type="button"
            className="button plain small icon-only"
            aria-label={`Remove ${file.name}`}
            onClick={() => onDrop(place)}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      <button type="button" className="button plain small" onClick={() => input.current?.click()}>
        <Icon name="file" />
        Attach files
      </button>
      <input
        ref={input}
        type="file"
        multiple
        className="sr-only"
        aria-label="Files to attach"
        tabIndex={-1}
        onChange={(event) => {
          onAdd([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </div>
  );
}
