import { useEffect, useState } from "react";
import { copyText } from "./clipboard";
import { Icon } from "./Icon";

const STATUS_MS = 1500;

/** Copies a text, or one that is computed on click. `isPlain` renders it as a word in a line of text. */
export function CopyButton({
  text,
  label = "Copy",
  title,
  accessibleName,
  isPlain = false,
}: {
  text: string | (() => string | Promise<string>);
  label?: string;
  title?: string;
  /** Where several values can be copied, which one; it begins with the label. */
  accessibleName?: string;
  isPlain?: boolean;
}) {
  const [status, setStatus] = useState("");
  useEffect(() => {
    const timer = status === "" ? undefined : window.setTimeout(() => setStatus(""), STATUS_MS);
    return () => window.clearTimeout(timer);
  }, [status]);
  const copy = async () => {
    try {
      setStatus((await copyText(typeof text === "string" ? text : await text())) ? "copied" : "not copied");
    } catch {
      setStatus("not copied");
    }
  };
  return (
    <button
      type="button"
      className={isPlain ? "jt-button jt-copy" : "button plain small"}
      title={title}
      aria-label={accessibleName ?? title}
      onClick={() => void copy()}
    >
      {isPlain ? null : <Icon name="copy" />}
      <span aria-live="polite">{status || label}</span>
    </button>
  );
}
