import { useSyncExternalStore } from "react";

/** Something that components can watch: `changed` redraws those that do. */
export class Watched {
  private readonly watchers = new Set<() => void>();
  private version = 0;

  protected changed(): void {
    this.version += 1;
    for (const watcher of this.watchers) watcher();
  }

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  readonly current = (): number => this.version;
}

/** Redraw the calling component whenever `watched` changes. */
export function useWatched<T extends Watched>(watched: T): T {
  useSyncExternalStore(watched.watch, watched.current);
  return watched;
}
