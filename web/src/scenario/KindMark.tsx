import type { EventLine } from "../api/types";
import { Icon } from "../ui/Icon";
import { KINDS } from "./kinds";

/** The kind of an event: icon, word and colour. */
export function KindMark({ kind }: { kind: EventLine["kind"] }) {
  const { word, icon, means } = KINDS[kind];
  return (
    <span className={`sc-kind sc-${kind}`} title={means}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
