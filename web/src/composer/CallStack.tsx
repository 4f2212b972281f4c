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
  onEdit: (index: number) => void;
}) {
  if (stack.length === 0) return null;
  return (
    <ol className="stack" aria-label="Calls of this turn">
      {stack.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a call has no id but its position
        <li key={index}>
          <span className="mono stack-call">
            <b>{call.tool}</b> {call.arguments}
          </span>
          <button
            type="button"
            className="button plain small icon-only"
            title="Move up"
            aria-label={`Move ${call.tool} up, call ${index + 1}`}
            disabled={index === 0}
            onClick={() => onChange(moveCallUp(stack, index))}
          >
            <Icon name="up" />
          </button>
          <button
            type="button"
            className="button plain small icon-only"
            title="Edit"
            aria-label={`Edit ${call.tool}, call ${index + 1}`}
            onClick={() => onEdit(index)}
          >
            <Icon name="edit" />
          </button>
          <button
            type="button"
            className="button plain small icon-only"
            title="Remove"
            aria-label={`Remove ${call.tool}, call ${index + 1}`}
            onClick={() => onChange(removeCall(stack, index))}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ol>
  );
}

/** The collected calls, to read. */
export function CallList({ stack }: { stack: StackedCall[] }) {
  return (
    <ol className="stack" aria-label="Calls that are not executed">
      {stack.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a call has no id but its position
        <li key={index}>
          <span className="mono stack-call">
            <b>{call.tool}</b> {call.arguments}
          </span>
        </li>
      ))}
    </ol>
  );
}
