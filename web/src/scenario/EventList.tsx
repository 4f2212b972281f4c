import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import type { EventSummary } from "../api/types";
import { Icon } from "../ui/Icon";
import { EventKindLabel } from "./EventKindLabel";
import { formatCall, formatOffset } from "./eventKinds";

const ROW = 28;

/** All events by the time at which they are expected. */
export function EventList({
  events,
  selected,
  onSelect,
}: {
  events: EventSummary[];
  selected: number | null;
  onSelect: (index: number) => void;
}) {
  const [query, setQuery] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const visibleEvents = useMemo(() => {
    const searchText = query.trim().toLowerCase();
    return searchText ? events.filter((event) => formatSearchText(event).includes(searchText)) : events;
  }, [events, query]);
  const virtual = useVirtualizer({
    count: visibleEvents.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 20,
  });
  return (
    <section className="sc-main" aria-label="Events">
      <div className="sc-bar">
        <label className="find">
          <Icon name="search" />
          <span className="sr-only">Find an event</span>
          <input
            type="search"
            placeholder="find"
            value={query}
            data-shortcut="find"
            onChange={(event) => setQuery(event.target.value)}
          />
        </label>
        <span className="quiet">
          {visibleEvents.length === events.length
            ? `${events.length} events`
            : `${visibleEvents.length} of ${events.length}`}
        </span>
      </div>
      <div ref={scroller} className="sc-rows scroll">
        <div className="sc-rows-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const event = visibleEvents[item.index];
            return event ? (
              <button
                key={event.index}
                type="button"
                className={`sc-row sc-${event.kind}`}
                aria-pressed={event.index === selected}
                style={{ transform: `translateY(${item.start}px)` }}
                onClick={() => onSelect(event.index)}
              >
                <span className="sc-when">{formatOffset(event.expected_seconds)}</span>
                <EventKindLabel kind={event.kind} />
                <b className="mono">{formatCall(event)}</b>
                <span className="quiet mono sc-summary">{event.summary}</span>
              </button>
            ) : null;
          })}
        </div>
      </div>
    </section>
  );
}

function formatSearchText(event: EventSummary): string {
  return `${event.kind} ${formatCall(event)} ${event.summary} ${event.event_id}`.toLowerCase();
}
