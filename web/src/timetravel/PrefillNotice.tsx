import type { usePrefill } from "./prefill";

/** An earlier message or decision that would replace what was typed. */
export function PrefillNotice({ prefill }: { prefill: ReturnType<typeof usePrefill> }) {
  const { pending, apply, dismiss } = prefill;
  if (!pending) return null;
  return (
    <div className="notice" role="status">
      You have typed something that is not sent. Replace it with what you want to edit?
      <div className="notice-actions">
        <button type="button" className="button small" onClick={() => apply(pending)}>
          Replace
        </button>
        <button type="button" className="button plain small" onClick={dismiss}>
          Keep what I typed
        </button>
      </div>
    </div>
  );
}
