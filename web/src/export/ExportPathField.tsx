import { isPlainEnter } from "../ui/keyboard";

/** The file to write; a path that is chosen with Enter, or by leaving the field, is relative to the folder. */
export function ExportPathField({
  folder,
  value,
  onType,
  onChoose,
}: {
  folder: string;
  value: string;
  onType: (path: string) => void;
  onChoose: (path: string) => void;
}) {
  return (
    <label className="export-path">
      <span className="quiet">File, in {folder}</span>
      <input
        className="input mono"
        value={value}
        spellCheck={false}
        onChange={(event) => onType(event.target.value)}
        onBlur={() => onChoose(value)}
        onKeyDown={(event) => {
          if (isPlainEnter(event)) onChoose(value);
        }}
      />
    </label>
  );
}
