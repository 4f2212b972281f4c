import { useLayoutEffect, useRef } from "react";
import { JsonError, parse, stringify } from "../json/lossless";
import type { Spoken } from "./Frame";

interface RawJsonProps {
  text: string;
  onText: (text: string) => void;
  spoken: Spoken;
  placeholder?: string;
  rows?: number;
}

const TALLEST = 480;

/** A JSON text that may be half-typed; says where it cannot be read. */
export function RawJson({ text, onText, spoken, placeholder, rows }: RawJsonProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const error = errorOf(text);

  useLayoutEffect(() => {
    const area = box.current;
    if (area !== null) {
      area.style.height = "0";
      const needed = area.scrollHeight + area.offsetHeight - area.clientHeight;
      area.style.height = text === "" ? "" : `${Math.min(TALLEST, needed)}px`;
    }
  }, [text]);

  function goTo(offset: number): void {
    box.current?.focus();
    box.current?.setSelectionRange(offset, offset);
  }

  return (
    <div className="sf-raw">
      <textarea
        {...spoken}
        ref={box}
        className="sf-input sf-data"
        rows={rows ?? 1}
        value={text}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onText(event.target.value)}
      />
      {error === null ? null : (
        <div className="sf-where">
          <button type="button" className="sf-link" onClick={() => goTo(error.offset)}>
            line {error.line}, column {error.column}
          </button>
          <span>{error.reason}</span>
          {/^\s*["[{]/.test(text) ? null : (
            <button
              type="button"
              className="sf-link"
              disabled={spoken.disabled}
              onClick={() => onText(stringify(text.trim()))}
            >
              put in quotes
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function errorOf(text: string): JsonError | null {
  if (text.trim() === "") {
    return null;
  }
  try {
    parse(text);
    return null;
  } catch (error) {
    if (error instanceof JsonError) {
      return error;
    }
    throw error;
  }
}
