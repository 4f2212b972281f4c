import { api } from "../api/client";
import type { FollowTarget } from "../api/liveSocket";
import type { SessionDetail, SessionUpdate, TimelineRow } from "../api/types";
import { Observable } from "./observable";

const PAGE_SIZE = 200;
const BULK_SIZE = 5000;

/** One session in this tab. Rows are sparse: those that were never visible are loaded when they are. */
export class SessionStore extends Observable {
  session: SessionDetail | null = null;
  /** The server's message if the session does not exist. */
  goneMessage: string | null = null;
  private rows: (TimelineRow | undefined)[] = [];
  /** The loaded rows are up to date up to this seq. */
  private lastSeq = 0;
  /** The seq of the last response that the session was taken from. */
  private responseSeq = 0;
  private readonly loadingPages = new Set<number>();

  constructor(
    readonly sessionId: string,
    private readonly listRows: (
      sessionId: string,
      start: number,
      count: number,
    ) => Promise<TimelineRow[]> = api.listRows,
  ) {
    super();
  }

  /** The follow request: everything at first, after a reconnect only what changed since. */
  readonly buildFollow = (): FollowTarget => {
    // Whatever the server says now is newer than any response.
    this.responseSeq = 0;
    return { session_id: this.sessionId, after_seq: this.lastSeq, tail: PAGE_SIZE };
  };

  applyUpdate(update: SessionUpdate): void {
    this.goneMessage = null;
    // Updates that were on their way when a response arrived are older than what it brought.
    if (update.session.last_seq >= this.responseSeq) this.session = update.session;
    this.lastSeq = update.session.last_seq;
    this.mergeRows(update.rows);
  }

  /** Waits until the session is shown as it was at this seq, or is gone. */
  waitForRevision(revision: number): Promise<void> {
    const hasArrived = () => this.goneMessage !== null || (this.session?.last_seq ?? 0) >= revision;
    if (hasArrived()) return Promise.resolve();
    return new Promise((resolve) => {
      const unsubscribe = this.subscribe(() => {
        if (!hasArrived()) return;
        unsubscribe();
        resolve();
      });
    });
  }

  /** Takes the session from a response that arrives before its live update. */
  replaceSession(session: SessionDetail): void {
    if (this.session && session.last_seq < this.session.last_seq) return;
    this.session = session;
    this.responseSeq = session.last_seq;
    this.notify();
  }

  markGone(message: string): void {
    this.goneMessage = message;
    this.notify();
  }

  get rowCount(): number {
    return this.session?.row_count ?? 0;
  }

  getRow(index: number): TimelineRow | undefined {
    return this.rows[index];
  }

  /** The loaded rows, in order. */
  listLoadedRows(): TimelineRow[] {
    return this.rows.filter((row): row is TimelineRow => row !== undefined);
  }

  /** Loads the missing rows of a range. */
  async loadRange(start: number, end: number): Promise<void> {
    const pages: number[] = [];
    for (
      let page = Math.floor(start / PAGE_SIZE);
      page * PAGE_SIZE <= end && page * PAGE_SIZE < this.rowCount;
      page += 1
    ) {
      if (!this.loadingPages.has(page) && this.isPageIncomplete(page)) pages.push(page);
    }
    for (const page of pages) {
      this.loadingPages.add(page);
      try {
        this.mergeRows(await this.listRows(this.sessionId, page * PAGE_SIZE, PAGE_SIZE));
      } catch {
        // The rows stay missing and are requested again when they are next visible.
      } finally {
        this.loadingPages.delete(page);
      }
    }
  }

  /** Loads all rows, for search and filters. */
  async loadAll(): Promise<void> {
    const missing = this.rows.findIndex((_, index) => !this.rows[index]);
    const start = missing < 0 ? this.rows.length : missing;
    for (let at = start; at < this.rowCount; at += BULK_SIZE) {
      try {
        this.mergeRows(await this.listRows(this.sessionId, at, BULK_SIZE));
      } catch {
        return;
      }
    }
  }

  private isPageIncomplete(page: number): boolean {
    const end = Math.min((page + 1) * PAGE_SIZE, this.rowCount);
    for (let index = page * PAGE_SIZE; index < end; index += 1) if (!this.rows[index]) return true;
    return false;
  }

  private mergeRows(rows: TimelineRow[]): void {
    for (const row of rows) {
      const before = this.rows[row.index];
      if (!before || before.updated_seq <= row.updated_seq) this.rows[row.index] = row;
    }
    this.notify();
  }
}
