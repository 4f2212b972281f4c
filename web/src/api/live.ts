import type { Follow, News } from "./types";

export type Connection = "connecting" | "open" | "lost";

/** The one WebSocket of this tab: follows one session and the list of sessions, and comes back after a break. */
export class Live {
  connection: Connection = "connecting";
  private socket: WebSocket | null = null;
  private wish: () => Follow = () => ({ follow: null, after_seq: 0, tail: 0 });
  private failures = 0;
  private timer = 0;

  constructor(
    private readonly onNews: (news: News) => void,
    private readonly onConnection: (connection: Connection) => void,
  ) {
    window.addEventListener("online", () => this.connect());
    this.connect();
  }

  /** Say what to follow; `wish` is asked again after every break, so that it can name what was seen last. */
  follow(wish: () => Follow): void {
    this.wish = wish;
    this.sendWish();
  }

  /** Try at once, instead of when the pause is over. */
  connect(): void {
    window.clearTimeout(this.timer);
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/api/live`);
    this.socket = socket;
    socket.onopen = () => {
      this.failures = 0;
      this.become("open");
      this.sendWish();
    };
    socket.onmessage = (message: MessageEvent<string>) => this.onNews(JSON.parse(message.data) as News);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.failures += 1;
      this.become("lost");
      this.timer = window.setTimeout(() => this.connect(), Math.min(250 * 2 ** Math.min(this.failures, 5), 4000));
    };
  }

  private sendWish(): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(this.wish()));
  }

  private become(connection: Connection): void {
    this.connection = connection;
    this.onConnection(connection);
  }
}
