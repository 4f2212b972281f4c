import { Icon } from "../ui/Icon";
import { type EventState, STATES } from "./eventStates";

/** What has become of an event in a run: icon, word and colour. */
export function EventStateLabel({ state }: { state: EventState }) {
  const { icon, meaning } = STATES[state];
  return (
    <span className={`sc-state-label is-${state}`} title={meaning}>
      <Icon name={icon} />
      {state}
    </span>
  );
}
