/** The scroll position of an element. */
export interface ScrollBox {
  scrollTop: number;
  scrollHeight: number;
  clientHeight: number;
}

/** Where to scroll: to the end, to a row, or nowhere. */
export type ScrollTarget = "end" | { row: number } | null;

export const ROW_HEIGHT = 28;

/**
 * Decides where the timeline scrolls. It follows the end while the end is visible, except that a row which the user
 * has just expanded or collapsed stays visible until a new row arrives or the user scrolls.
 */
export class EndFollower {
  private isFollowing = true;
  private toggledRow: number | null = null;

  /** The user expanded or collapsed a row. */
  toggleRow(index: number): void {
    this.toggledRow = index;
  }

  /** The user moved the wheel or pressed the pointer. */
  releaseRow(): void {
    this.toggledRow = null;
  }

  /** The user asked for the end. */
  followEnd(): void {
    this.toggledRow = null;
    this.isFollowing = true;
  }

  /** The number of rows changed. */
  changeCount(): ScrollTarget {
    this.toggledRow = null;
    return this.isFollowing ? "end" : null;
  }

  /** The height of the rows changed: a row was expanded, or measured. */
  changeHeight(): ScrollTarget {
    if (this.toggledRow !== null) return { row: this.toggledRow };
    return this.isFollowing ? "end" : null;
  }

  /** The box was scrolled, by the user or by the page; returns whether its end is visible. */
  scroll(box: ScrollBox): boolean {
    const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < ROW_HEIGHT;
    if (isAtEnd || this.toggledRow === null) this.isFollowing = isAtEnd;
    return isAtEnd;
  }
}
