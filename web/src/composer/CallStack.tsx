import { Icon } from "../ui/Icon";
import type { StackedCall } from "./drafts";
import { moveCallUp, removeCall } from "./turnDraft";

/** The calls that are collected for one turn. */
export function CallStack({
  stack,
  onChange,
  onEdit,
}: {
  stack: StackedCall[];
  onChange: (stack: StackedCall[]) => void;
  onEdit: (place: number) => void;
}) {
  if (stack.length === 0) return null;
  return (
    <ol className="stack" aria-label="Calls of this turn">
      {stack.map((call, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a call is known by its place
        <li key={place}>
          <span className="mono stack-call">
            <b>{call.tool}</b> {call.arguments}
          </span>
          <button
            type="button"
            className="button plain small icon-only"
            aria-label={`Move ${call.tool} up`}
            disabled={place === 0}
            onClick={() => onChange(moveCallUp(stack, place))}
          >
            <Icon name="up" />
          </button>
          <button
            type="button"
            className="button plain small icon-only"
            aria-label={`Edit ${call.tool}`}
            onClick={() => onEdit(place)}
          >
            <Icon name="edit" />
          </button>
          <button
            type="button"
            className="button plain small icon-only"
            aria-label={`Drop ${call.tool}`}
            onClick={() => onChange(removeCall(stack, place))}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ol>
  );
}
