import { useState } from "react";

const MAX_SHOWN = 160;

/** A field's description; a long one is truncated until expanded. */
export function FieldDescription({ id, text }: { id: string; text: string }) {
  const [isExpanded, setIsExpanded] = useState(false);
  if (text.length <= MAX_SHOWN) {
    return (
      <p id={id} className="sf-note">
        {text}
      </p>
    );
  }
  return (
    <p id={id} className="sf-note">
      {isExpanded ? text : `${text.slice(0, MAX_SHOWN)}… `}{" "}
      <button type="button" className="sf-link" aria-expanded={isExpanded} onClick={() => setIsExpanded(!isExpanded)}>
        {isExpanded ? "less" : "more"}
      </button>
    </p>
  );
}
