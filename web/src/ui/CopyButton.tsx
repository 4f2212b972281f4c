import { useEffect, useState } from "react";
import { copyText } from "./clipboard";
import { Icon } from "./Icon";

const TOLD_FOR = 1500;

/** Copies a text, or one that is made or fetched when it is asked for. `plain` is a word in a line of text. */
export function CopyButton({
  text,
  label = "Copy",
  title,
  plain = false,
}: {
  text: string | (() => string | Promise<string>);
  label?: string;
  title?: string;
  plain?: boolean;
}) {
  const [said, say] = useState("");
  useEffect(() => {
    const timer = said === "" ? undefined : window.setTimeout(() => say(""), TOLD_FOR);
    return () => window.clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      say((await copyText(typeof text === "string" ? text : await text())) ? "copied" : "not copied");
    } catch {
      say("not copied");
    }
  };
  return (
    <button
      type="button"
      className={plain ? "jt-button jt-copy" : "button plain small"}
      title={title}
      onClick={() => void copy()}
    >
      {plain ? null : <Icon name="copy" />}
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}
