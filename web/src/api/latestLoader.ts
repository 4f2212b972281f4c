/**
 * Loads something that changes while it is loaded: one request at a time, and once more when it has changed meanwhile.
 * Changes that follow each other faster than they can be loaded never keep a result from being shown.
 */
export class LatestLoader<T> {
  private wanted: string | null = null;
  private isLoading = false;
  private isClosed = false;

  constructor(
    private readonly load: () => Promise<T>,
    private readonly onResult: (data: T) => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Loads the version, or, while another one is loading, the last version that was asked for until then. */
  request(version: string): void {
    this.wanted = version;
    if (!this.isLoading) void this.loadWanted();
  }

  /** Ends the loading; no further result is delivered. */
  close(): void {
    this.isClosed = true;
  }

  private async loadWanted(): Promise<void> {
    this.isLoading = true;
    for (let loaded: string | null = null; loaded !== this.wanted && !this.isClosed; ) {
      loaded = this.wanted;
      try {
        const data = await this.load();
        if (!this.isClosed) this.onResult(data);
      } catch (error) {
        if (!this.isClosed) this.onError(error);
      }
    }
    this.isLoading = false;
  }
}
