import { Icon } from "../ui/Icon";
import type { StackedCall } from "./drafts";

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
  const up = (place: number) => {
    const next = [...stack];
    const [call] = next.splice(place, 1);
    if (call) next.splice(place - 1, 0, call);
    onChange(next);
  };
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
            onClick={() => up(place)}
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
            onClick={() => onChange(stack.filter((_, index) => index !== place))}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ol>
  );
}
