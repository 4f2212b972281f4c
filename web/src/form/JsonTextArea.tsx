import { useLayoutEffect, useRef } from "react";
import { JsonError, parse, stringify } from "../json/lossless";
import type { ControlProps } from "./FieldFrame";

interface JsonTextAreaProps {
  text: string;
  onText: (text: string) => void;
  controlProps: ControlProps;
  placeholder?: string;
  rows?: number;
}

const MAX_HEIGHT = 480;

/** A text area for JSON; shows where it is invalid. */
export function JsonTextArea({ text, onText, controlProps, placeholder, rows }: JsonTextAreaProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const error = findJsonError(text);

  useLayoutEffect(() => {
    const area = box.current;
    if (area !== null) {
      area.style.height = "0";
      const needed = area.scrollHeight + area.offsetHeight - area.clientHeight;
      area.style.height = text === "" ? "" : `${Math.min(MAX_HEIGHT, needed)}px`;
    }
  }, [text]);

  function goTo(offset: number): void {
    box.current?.focus();
    box.current?.setSelectionRange(offset, offset);
  }

  return (
    <div className="sf-raw">
      <textarea
        {...controlProps}
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
              disabled={controlProps.disabled}
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

function findJsonError(text: string): JsonError | null {
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
