import { ApiError, api, getErrorMessage } from "../api/client";
import { type ConnectionStatus, LiveSocket } from "../api/liveSocket";
import type { AgentInfo, LiveUpdate, ServerInfo } from "../api/types";
import { Observable } from "./observable";
import { QueueList } from "./queueList";
import { formatFilter, type SessionFilter, SessionList } from "./sessionList";
import { SessionStore } from "./sessionStore";

/** State of the whole app: the server, the connection, the open session, the lists. */
class AppStore extends Observable {
  server: ServerInfo | null = null;
  /** Why the server cannot be used. */
  error: string | null = null;
  connection: ConnectionStatus = "connecting";
  /** How many requests wait for a person, over all sessions. */
  pendingCount = 0;
  /** Kept while other pages are shown, so that coming back shows at once what was there. */
  readonly queue = new QueueList();
  private socket: LiveSocket | null = null;
  private currentSession: SessionStore | null = null;
  private currentList: SessionList | null = null;

  async start(): Promise<void> {
    this.socket ??= new LiveSocket(
      (update) => this.handleUpdate(update),
      (connection) => this.handleConnection(connection),
    );
    await this.refresh();
  }

  /** Reloads the server's description and its agents. */
  async refresh(): Promise<void> {
    try {
      this.server = await api.getServer();
      this.error = null;
    } catch (error) {
      // A server that is unreachable will come back; one that rejects the request needs the user's attention.
      this.error = error instanceof ApiError || !this.server ? getErrorMessage(error) : null;
    }
    this.notify();
  }

  findAgent(key: string): AgentInfo | undefined {
    return this.server?.agents.find((agent) => agent.key === key);
  }

  /** The store of a session; the app holds at most one. */
  openSession(sessionId: string): SessionStore {
    if (this.currentSession?.sessionId !== sessionId) this.currentSession = new SessionStore(sessionId);
    return this.currentSession;
  }

  /** The list of the sessions that pass a filter; the app holds at most one. */
  openSessionList(filter: SessionFilter): SessionList {
    if (!this.currentList || formatFilter(this.currentList.filter) !== formatFilter(filter)) {
      this.currentList = new SessionList(filter);
    }
    return this.currentList;
  }

  /** Follows a session until the returned function is called. */
  followSession(session: SessionStore): () => void {
    this.socket?.follow(session.buildFollow);
    return () => this.socket?.follow(() => ({ session_id: null, after_seq: 0, tail: 0 }));
  }

  reconnect(): void {
    this.socket?.connect();
  }

  private handleUpdate(update: LiveUpdate): void {
    if (update.type === "session") {
      if (update.session.session_id === this.currentSession?.sessionId) this.currentSession.applyUpdate(update);
    } else if (update.type === "agents") {
      void this.refresh();
    } else if (update.type === "gone") {
      if (update.session_id === this.currentSession?.sessionId) this.currentSession.markGone(update.message);
    } else {
      this.pendingCount = update.pending_count;
      this.notify();
      this.queue.applyUpdate(update);
      this.currentList?.applyUpdate(update);
    }
  }

  private handleConnection(connection: ConnectionStatus): void {
    const wasLost = this.connection === "lost";
    this.connection = connection;
    if (connection === "lost" || wasLost) void this.refresh();
    else this.notify();
  }
}

export const app = new AppStore();
