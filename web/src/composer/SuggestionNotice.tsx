/** A suggestion for a turn in which the person has entered something already. */
export function SuggestionNotice({ onApply, onDismiss }: { onApply: () => void; onDismiss: () => void }) {
  return (
    <div className="notice" role="status">
      The model suggests a step. It would replace what you have entered for this turn.
      <div className="notice-actions">
        <button type="button" className="button small" onClick={onApply}>
          Use the suggestion
        </button>
        <button type="button" className="button plain small" onClick={onDismiss}>
          Keep what I entered
        </button>
      </div>
    </div>
  );
}
