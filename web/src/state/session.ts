import { api } from "../api/client";
import type { Follow, Row, SessionNews, SessionShape } from "../api/types";
import { Watched } from "./store";

const PAGE = 200;
const MANY = 5000;

/** One session as this tab knows it. Rows that have not been looked at are holes, filled when somebody looks. */
export class SessionStore extends Watched {
  session: SessionShape | null = null;
  /** Why the session cannot be shown. */
  gone: string | null = null;
  private rows: (Row | undefined)[] = [];
  /** Up to here the rows that are known are as they are. */
  private seen = 0;
  private readonly asked = new Set<number>();

  constructor(readonly sessionId: string) {
    super();
  }

  /** What to ask the server for: everything at first, then what this tab has not seen. */
  readonly wish = (): Follow => ({ follow: this.sessionId, after_seq: this.seen, tail: PAGE });

  apply(news: SessionNews): void {
    this.gone = null;
    this.session = news.session;
    this.seen = news.session.seq;
    this.put(news.rows);
  }

  /** The session itself changed by an answer, before the news of it came. */
  become(session: SessionShape): void {
    if (this.session && session.seq < this.session.seq) return;
    this.session = session;
    this.changed();
  }

  lose(message: string): void {
    this.gone = message;
    this.changed();
  }

  get count(): number {
    return this.session?.rows ?? 0;
  }

  row(index: number): Row | undefined {
    return this.rows[index];
  }

  /** The rows that are here, in their order. */
  known(): Row[] {
    return this.rows.filter((row): row is Row => row !== undefined);
  }

  /** Fetch what is missing between two places. */
  async need(start: number, end: number): Promise<void> {
    const pages: number[] = [];
    for (let page = Math.floor(start / PAGE); page * PAGE <= end && page * PAGE < this.count; page += 1) {
      if (!this.asked.has(page) && this.misses(page)) pages.push(page);
    }
    for (const page of pages) {
      this.asked.add(page);
      try {
        this.put(await api.rows(this.sessionId, page * PAGE, PAGE));
      } catch {
        // The row stays a hole and is asked for again when it is next on the screen.
      } finally {
        this.asked.delete(page);
      }
    }
  }

  /** Fetch everything, for those who search. */
  async all(): Promise<void> {
    const missing = this.rows.findIndex((_, index) => !this.rows[index]);
    const start = missing < 0 ? this.rows.length : missing;
    for (let at = start; at < this.count; at += MANY) {
      try {
        this.put(await api.rows(this.sessionId, at, MANY));
      } catch {
        return;
      }
    }
  }

  private misses(page: number): boolean {
    const end = Math.min((page + 1) * PAGE, this.count);
    for (let index = page * PAGE; index < end; index += 1) if (!this.rows[index]) return true;
    return false;
  }

  private put(rows: Row[]): void {
    for (const row of rows) {
      const before = this.rows[row.index];
      if (!before || before.updated <= row.updated) this.rows[row.index] = row;
    }
    this.changed();
  }
}
