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
  /** The scroll position that the page set, or that a scroll event reported, last. */
  private knownTop = 0;

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

  /** Whether the user has scrolled and the event has not arrived yet: it comes with the next frame. */
  hasUnseenScroll(box: ScrollBox): boolean {
    const isShown = box.clientHeight > 0;
    return isShown && box.scrollTop !== this.knownTop;
  }

  /** The page itself scrolled the box, or is about to. */
  recordPosition(box: ScrollBox): void {
    this.knownTop = box.scrollTop;
  }

  /** The number of rows changed. */
  changeCount(box: ScrollBox): ScrollTarget {
    this.noticeScroll(box);
    this.toggledRow = null;
    return this.isFollowing ? "end" : null;
  }

  /** The height of the rows changed: a row was expanded, or measured. */
  changeHeight(box: ScrollBox): ScrollTarget {
    this.noticeScroll(box);
    if (this.toggledRow !== null) return { row: this.toggledRow };
    return this.isFollowing ? "end" : null;
  }

  /** The box was scrolled, by the user or by the page; returns whether its end is visible. */
  scroll(box: ScrollBox): boolean {
    this.knownTop = box.scrollTop;
    const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < ROW_HEIGHT;
    if (isAtEnd || this.toggledRow === null) this.isFollowing = isAtEnd;
    return isAtEnd;
  }

  /** Without this, a change before the event would throw a user who has just scrolled away back to the end. */
  private noticeScroll(box: ScrollBox): void {
    if (this.hasUnseenScroll(box)) this.scroll(box);
  }
}
