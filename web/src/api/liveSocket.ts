import type { FollowRequest, LiveUpdate } from "./types";

/** What to follow, without the revision, which the socket knows itself. */
export type FollowTarget = Omit<FollowRequest, "revision">;

export type ConnectionStatus = "connecting" | "open" | "lost";

/** The tab's only WebSocket: follows one session and the session list, and reconnects with backoff. */
export class LiveSocket {
  connection: ConnectionStatus = "connecting";
  private socket: WebSocket | null = null;
  private buildFollow: () => FollowTarget = () => ({ session_id: null, after_seq: 0, tail: 0 });
  /** The last revision of the session list that arrived; 0 before the first. */
  private revision = 0;
  private failures = 0;
  private timer = 0;

  constructor(
    private readonly onUpdate: (update: LiveUpdate) => void,
    private readonly onConnection: (connection: ConnectionStatus) => void,
  ) {
    window.addEventListener("online", () => this.connect());
    this.connect();
  }

  /** Sets what to follow. `buildFollow` is called after every reconnect, to resume after the last seq. */
  follow(buildFollow: () => FollowTarget): void {
    this.buildFollow = buildFollow;
    this.sendFollow();
  }

  /** Connects now instead of after the backoff. */
  connect(): void {
    window.clearTimeout(this.timer);
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/api/live`);
    this.socket = socket;
    socket.onopen = () => {
      this.failures = 0;
      this.setConnection("open");
      this.sendFollow();
    };
    socket.onmessage = (message: MessageEvent<string>) => {
      const update = JSON.parse(message.data) as LiveUpdate;
      if (update.type === "sessions") this.revision = update.revision;
      this.onUpdate(update);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.failures += 1;
      this.setConnection("lost");
      this.timer = window.setTimeout(() => this.connect(), Math.min(250 * 2 ** Math.min(this.failures, 5), 4000));
    };
  }

  private sendFollow(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const request: FollowRequest = { ...this.buildFollow(), revision: this.revision };
    this.socket.send(JSON.stringify(request));
  }

  private setConnection(connection: ConnectionStatus): void {
    this.connection = connection;
    this.onConnection(connection);
  }
}
