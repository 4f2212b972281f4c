import { api, Refused, words } from "../api/client";
import { type Connection, Live } from "../api/live";
import type { AgentShape, News, ServerShape } from "../api/types";
import { SessionStore } from "./session";
import { Watched } from "./store";

/** What the whole page knows: the server, the connection, the session that is open. */
class AppStore extends Watched {
  server: ServerShape | null = null;
  /** Why the page cannot start. */
  trouble: string | null = null;
  connection: Connection = "connecting";
  yourTurns = 0;
  /** Grows whenever the list of sessions should be read again. */
  listVersion = 0;
  private live: Live | null = null;
  private open: SessionStore | null = null;

  async start(): Promise<void> {
    this.live ??= new Live(
      (news) => this.hear(news),
      (connection) => this.connected(connection),
    );
    await this.refresh();
  }

  /** Read again what the server says of itself and its agents. */
  async refresh(): Promise<void> {
    try {
      this.server = await api.server();
      this.trouble = null;
    } catch (error) {
      // A server that is only away comes back; one that refuses wants something of the person.
      this.trouble = error instanceof Refused || !this.server ? words(error) : null;
    }
    this.changed();
  }

  agent(key: string): AgentShape | undefined {
    return this.server?.agents.find((agent) => agent.key === key);
  }

  /** A session as this page knows it: there is at most one. */
  session(sessionId: string): SessionStore {
    if (this.open?.sessionId !== sessionId) this.open = new SessionStore(sessionId);
    return this.open;
  }

  /** Follow a session until the answer is called. */
  follow(session: SessionStore): () => void {
    this.live?.follow(session.wish);
    return () => this.live?.follow(() => ({ follow: null, after_seq: 0, tail: 0 }));
  }

  reconnect(): void {
    this.live?.connect();
  }

  private hear(news: News): void {
    if (news.type === "session") {
      if (news.session.session_id === this.open?.sessionId) this.open.apply(news);
    } else if (news.type === "gone") {
      if (news.session_id === this.open?.sessionId) this.open.lose(news.message);
    } else {
      this.yourTurns = news.your_turns;
      this.listVersion += 1;
      this.changed();
    }
  }

  private connected(connection: Connection): void {
    const wasLost = this.connection === "lost";
    this.connection = connection;
    if (connection === "lost" || wasLost) void this.refresh();
    else this.changed();
  }
}

export const app = new AppStore();
