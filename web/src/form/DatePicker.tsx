import { useRef } from "react";
import { fromPickerValue, toPickerValue } from "./dates";

const KINDS: Readonly<Record<string, string>> = { date: "date", time: "time", "date-time": "datetime-local" };

interface DatePickerProps {
  format: string;
  value: string;
  name: string;
  disabled: boolean;
  onPick: (text: string) => void;
}

/** The browser's date picker beside a text field, which stays editable. */
export function DatePicker({ format, value, name, disabled, onPick }: DatePickerProps) {
  const picker = useRef<HTMLInputElement>(null);
  const kind = Object.hasOwn(KINDS, format) ? KINDS[format] : undefined;
  if (kind === undefined) {
    return null;
  }
  return (
    <span className="sf-picker">
      <button
        type="button"
        className="sf-button"
        aria-label={`Pick ${name}`}
        title={`Pick ${name}`}
        disabled={disabled}
        onClick={() => picker.current?.showPicker()}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          {format === "time" ? (
            <path d="M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.3l2 1.4" />
          ) : (
            <path d="M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5V5M10.5 2.5V5" />
          )}
        </svg>
      </button>
      <input
        ref={picker}
        type={kind}
        step={kind === "date" ? undefined : 1}
        tabIndex={-1}
        aria-hidden="true"
        value={toPickerValue(format, value)}
        onChange={(event) => {
          if (event.target.value !== "") {
            onPick(fromPickerValue(format, event.target.value));
          }
        }}
      />
    </span>
  );
}
