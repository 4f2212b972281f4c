import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import type { EventLine } from "../api/types";
import { Icon } from "../ui/Icon";
import { KindMark } from "./KindMark";
import { callOf, since } from "./kinds";

const ROW = 28;

/** All events by the time at which they are expected. */
export function TimeLine({
  events,
  selected,
  onSelect,
}: {
  events: EventLine[];
  selected: number | null;
  onSelect: (place: number) => void;
}) {
  const [find, setFind] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => {
    const wanted = find.trim().toLowerCase();
    return wanted ? events.filter((one) => textOf(one).includes(wanted)) : events;
  }, [events, find]);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 20,
  });
  return (
    <section className="sc-main" aria-label="Time line">
      <div className="sc-bar">
        <label className="find">
          <Icon name="search" />
          <span className="sr-only">Find an event</span>
          <input
            type="search"
            placeholder="find"
            value={find}
            data-shortcut="find"
            onChange={(event) => setFind(event.target.value)}
          />
        </label>
        <span className="quiet">
          {shown.length === events.length ? `${events.length} events` : `${shown.length} of ${events.length}`}
        </span>
      </div>
      <div ref={scroller} className="sc-rows scroll">
        <div className="sc-rows-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const event = shown[item.index];
            return event ? (
              <button
                key={event.place}
                type="button"
                className={`sc-row sc-${event.kind}`}
                aria-pressed={event.place === selected}
                style={{ transform: `translateY(${item.start}px)` }}
                onClick={() => onSelect(event.place)}
              >
                <span className="sc-when">{since(event.seconds)}</span>
                <KindMark kind={event.kind} />
                <b className="mono">{callOf(event)}</b>
                <span className="quiet mono sc-summary">{event.summary}</span>
              </button>
            ) : null;
          })}
        </div>
      </div>
    </section>
  );
}

function textOf(event: EventLine): string {
  return `${event.kind} ${callOf(event)} ${event.summary} ${event.event_id}`.toLowerCase();
}
