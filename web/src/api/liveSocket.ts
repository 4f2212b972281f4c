import type { FollowRequest, LiveUpdate } from "./types";

export type ConnectionStatus = "connecting" | "open" | "lost";

/** The tab's only WebSocket: follows one session and the session list, and reconnects with backoff. */
export class LiveSocket {
  connection: ConnectionStatus = "connecting";
  private socket: WebSocket | null = null;
  private buildFollow: () => FollowRequest = () => ({ session_id: null, after_seq: 0, tail: 0 });
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
  follow(buildFollow: () => FollowRequest): void {
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
    socket.onmessage = (message: MessageEvent<string>) => this.onUpdate(JSON.parse(message.data) as LiveUpdate);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.failures += 1;
      this.setConnection("lost");
      this.timer = window.setTimeout(() => this.connect(), Math.min(250 * 2 ** Math.min(this.failures, 5), 4000));
    };
  }

  private sendFollow(): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(this.buildFollow()));
  }

  private setConnection(connection: ConnectionStatus): void {
    this.connection = connection;
    this.onConnection(connection);
  }
}
