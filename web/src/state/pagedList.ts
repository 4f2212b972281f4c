import { getErrorMessage } from "../api/client";
import type { SessionListUpdate } from "../api/types";
import { Observable } from "./observable";

/** How many entries a page holds. */
export const PAGE_SIZE = 50;
/** How many entries the server sends at once at most. */
const MAX_PAGE_SIZE = 200;

export interface LoadedPage<Item> {
  items: Item[];
  /** Where the next page begins; null after the last one. */
  nextCursor: string | null;
}

/** The changes of a list update; a response to an action of this tab is one too. */
export type ListChange = Pick<SessionListUpdate, "sessions" | "deleted">;

/**
 * A list that is loaded page by page and then kept current by the changes that the server reports.
 *
 *     scroll --> loadMore --> pages --+
 *                                     +--> items
 *     live update --> applyUpdate ----+
 *
 * A change that arrives while a page is on its way may be newer than the page, so it is applied again to the page.
 */
export abstract class PagedList<Item> extends Observable {
  items: Item[] = [];
  isLoading = false;
  /** Whether the first page has arrived. */
  isLoaded = false;
  /** Why the last page did not load; empty if it did. */
  error = "";
  /** Where the user has scrolled to, for when they come back. */
  scrollTop = 0;
  private nextCursor: string | null = "";
  /** The last entry of the last page: entries before it are loaded. */
  private lastLoaded: Item | undefined;
  private isStale = false;
  private readonly missedChanges: ListChange[] = [];

  /** Whether all entries are loaded. */
  get isComplete(): boolean {
    return this.nextCursor === null;
  }

  protected abstract fetchPage(cursor: string, limit: number): Promise<LoadedPage<Item>>;
  protected abstract getKey(item: Item): string;
  /** Negative if the first item comes first; 0 if it is the same entry. */
  protected abstract compare(left: Item, right: Item): number;
  /** The items after a change; sets whether the list must be loaded again with `markStale`. */
  protected abstract mergeChange(items: Item[], change: ListChange): Item[];

  /** Loads what is missing: the first page, what has failed, or all of it if it is outdated. */
  open(): void {
    if (this.isStale && this.isLoaded) void this.reload();
    else if (!this.isLoaded || this.error) void this.loadMore();
  }

  /** Loads the next page, unless one is on its way. */
  async loadMore(): Promise<void> {
    if (this.isLoading || this.nextCursor === null) return;
    const cursor = this.nextCursor;
    await this.load(async () => {
      const page = await this.fetchPage(cursor, PAGE_SIZE);
      this.lastLoaded = page.items.at(-1) ?? this.lastLoaded;
      return { items: this.appendNew(this.items, page.items), nextCursor: page.nextCursor };
    });
  }

  /** Loads as many entries again as are loaded; they are shown until the new ones are there. */
  async reload(): Promise<void> {
    this.isStale = true;
    if (this.isLoading) return;
    await this.load(async () => {
      const itemCount = Math.max(this.items.length, PAGE_SIZE);
      let page = await this.fetchPage("", Math.min(itemCount, MAX_PAGE_SIZE));
      let items = page.items;
      while (items.length < itemCount && page.nextCursor !== null) {
        page = await this.fetchPage(page.nextCursor, Math.min(itemCount - items.length, MAX_PAGE_SIZE));
        items = this.appendNew(items, page.items);
      }
      this.lastLoaded = items.at(-1);
      return { items, nextCursor: page.nextCursor };
    }, true);
  }

  /** Applies what the server reports. */
  applyUpdate(update: SessionListUpdate): void {
    if (update.reload) this.markStale();
    this.applyChange(update);
    if (this.isStale && this.isLoaded && this.isObserved) void this.reload();
  }

  /** Applies a change without waiting for the server's report of it. */
  applyChange(change: ListChange): void {
    if (this.isLoading) this.missedChanges.push(change);
    if (!this.isLoaded) return;
    this.items = this.mergeChange(this.items, change);
    this.notify();
    // An empty table has no end that could come near.
    if (!this.items.length && this.isObserved) void this.loadMore();
  }

  /** Remembers that the list must be loaded again. */
  protected markStale(): void {
    this.isStale = true;
  }

  /** Adds an entry at its place. Where the list is not loaded yet, it comes with its page. */
  protected insert(items: Item[], item: Item): Item[] {
    const place = items.findIndex((right) => this.compare(item, right) < 0);
    if (place >= 0) return items.toSpliced(place, 0, item);
    const isLoadedRange = this.lastLoaded !== undefined && this.compare(item, this.lastLoaded) <= 0;
    return this.isComplete || isLoadedRange ? [...items, item] : items;
  }

  private async load(fetchItems: () => Promise<LoadedPage<Item>>, isReload = false): Promise<void> {
    if (isReload) this.isStale = false;
    this.isLoading = true;
    this.error = "";
    this.missedChanges.length = 0;
    this.notify();
    try {
      const { items, nextCursor } = await fetchItems();
      this.nextCursor = nextCursor;
      this.isLoaded = true;
      this.items = this.missedChanges.reduce((merged, change) => this.mergeChange(merged, change), items);
    } catch (error) {
      this.error = getErrorMessage(error);
      this.isStale ||= isReload;
    }
    this.isLoading = false;
    this.notify();
    if (this.isStale && !this.error && this.isObserved) await this.reload();
  }

  /** The items with those that they do not contain yet: an entry may have been added by a change. */
  private appendNew(items: Item[], added: Item[]): Item[] {
    const existingKeys = new Set(items.map((item) => this.getKey(item)));
    return [...items, ...added.filter((item) => !existingKeys.has(this.getKey(item)))];
  }
}
