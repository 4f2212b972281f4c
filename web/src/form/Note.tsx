import { useState } from "react";

const MOST = 160;

/** A description; a long one is cut until somebody wants to read it. */
export function Note({ id, text }: { id: string; text: string }) {
  const [whole, setWhole] = useState(false);
  if (text.length <= MOST) {
    return (
      <p id={id} className="sf-note">
        {text}
      </p>
    );
  }
  return (
    <p id={id} className="sf-note">
      {whole ? text : `${text.slice(0, MOST)}… `}{" "}
      <button type="button" className="sf-link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
        {whole ? "less" : "more"}
      </button>
    </p>
  );
}
