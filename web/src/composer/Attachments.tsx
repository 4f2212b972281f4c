import { useRef } from "react";
import type { FilePart } from "../api/types";
import { formatSize } from "../ui/format";
import { Icon } from "../ui/Icon";

/** Reads a file as the base64 part that the API takes. */
export async function readFilePart(file: File): Promise<FilePart> {
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

/** The files attached to a message. */
export function Attachments({
  files,
  onAdd,
  onRemove,
}: {
  files: FilePart[];
  onAdd: (files: File[]) => void;
  onRemove: (index: number) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="files">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
        <span key={index} className="file">
          {file.mime_type.startsWith("image/") ? (
            <img src={`data:${file.mime_type};base64,${file.data}`} alt="" />
          ) : (
            <Icon name="artifact" />
          )}
          <span className="file-name">{file.name}</span>
          <span className="quiet">{formatSize((file.data.length * 3) / 4)}</span>
          <button
            type="button"
            className="button plain small icon-only"
            title="Remove"
            aria-label={`Remove ${file.name}`}
            onClick={() => onRemove(index)}
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
