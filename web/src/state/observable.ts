import { useSyncExternalStore } from "react";

/** Mutable state that components subscribe to; `notify` renders them again. */
export class Observable {
  private readonly listeners = new Set<() => void>();
  private version = 0;

  protected notify(): void {
    this.version += 1;
    for (const watcher of this.listeners) watcher();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Whether anything is rendered from this. */
  protected get isObserved(): boolean {
    return this.listeners.size > 0;
  }

  readonly getVersion = (): number => this.version;
}

/** Renders the calling component whenever `observable` changes. */
export function useObservable<T extends Observable>(observable: T): T {
  useSyncExternalStore(observable.subscribe, observable.getVersion, observable.getVersion);
  return observable;
}
