/** A suggestion that arrived while the person was typing. */
export function SuggestionNotice({ onApply, onDismiss }: { onApply: () => void; onDismiss: () => void }) {
  return (
    <div className="notice" role="status">
      The model suggests a step, but you have typed in the meantime.
      <div className="notice-actions">
        <button type="button" className="button small" onClick={onApply}>
          Use the suggestion
        </button>
        <button type="button" className="button plain small" onClick={onDismiss}>
          Keep what I typed
        </button>
      </div>
    </div>
  );
}
