/** Tells the time to all that show it, so that a long table needs one timer instead of one per row. */
class Clock {
  private readonly listeners = new Set<() => void>();
  private timer = 0;
  private lastMs = 0;

  constructor(private readonly everyMs: number) {}

  /** The time of the last tick, in seconds since 1970. */
  readonly getTime = (): number => {
    // While nobody listens there are no ticks.
    if (!this.timer && Date.now() - this.lastMs >= this.everyMs) this.lastMs = Date.now();
    return this.lastMs / 1000;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.timer ||= window.setInterval(() => this.tick(), this.everyMs);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size) return;
      window.clearInterval(this.timer);
      this.timer = 0;
    };
  };

  private tick(): void {
    this.lastMs = Date.now();
    for (const listener of this.listeners) listener();
  }
}

const clocks = new Map<number, Clock>();

/** The clock that ticks this often. */
export function getClock(everyMs: number): Clock {
  const clock = clocks.get(everyMs) ?? new Clock(everyMs);
  clocks.set(everyMs, clock);
  return clock;
}
