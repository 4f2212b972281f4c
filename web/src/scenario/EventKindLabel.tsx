import type { EventSummary } from "../api/types";
import { Icon } from "../ui/Icon";
import { KINDS } from "./eventKinds";

/** The kind of an event: icon, word and colour. */
export function EventKindLabel({ kind }: { kind: EventSummary["kind"] }) {
  const { label, icon, meaning } = KINDS[kind];
  return (
    <span className={`sc-kind sc-${kind}`} title={meaning}>
      <Icon name={icon} />
      {label}
    </span>
  );
}
