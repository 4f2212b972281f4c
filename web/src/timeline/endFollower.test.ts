import { expect, test } from "vitest";
import { EndFollower, type ScrollBox } from "./endFollower";

const AT_END: ScrollBox = { scrollTop: 700, clientHeight: 300, scrollHeight: 1000 };
const IN_THE_MIDDLE: ScrollBox = { ...AT_END, scrollTop: 200 };
const AT_START: ScrollBox = { ...AT_END, scrollTop: 0 };

/** A follower that has scrolled the box to its end. */
function createFollower(): EndFollower {
  const follower = new EndFollower();
  follower.changeCount(AT_START);
  follower.recordPosition(AT_END);
  return follower;
}

test("it follows the end from the start", () => {
  const follower = new EndFollower();

  expect(follower.changeCount(AT_START)).toBe("end");
  expect(follower.changeHeight(AT_START)).toBe("end");
});

test("who scrolls up is left alone, and who scrolls back down follows again", () => {
  const follower = createFollower();
  expect(follower.scroll(IN_THE_MIDDLE)).toBe(false);
  expect([follower.changeCount(IN_THE_MIDDLE), follower.changeHeight(IN_THE_MIDDLE)]).toEqual([null, null]);
  expect(follower.scroll(AT_END)).toBe(true);
  expect(follower.changeCount(AT_END)).toBe("end");
});

test("less than one row from the end counts as the end", () => {
  const follower = createFollower();

  expect(follower.scroll({ ...AT_END, scrollTop: 673 })).toBe(true);
  expect(follower.scroll({ ...AT_END, scrollTop: 672 })).toBe(false);
});

test("a row that was just expanded stays on the screen while it grows", () => {
  const follower = createFollower();
  follower.toggleRow(3);

  expect(follower.changeHeight(AT_END)).toEqual({ row: 3 });
  expect(follower.changeHeight(AT_END)).toEqual({ row: 3 });
});

test("the scrolling that an expanded row causes does not end the following", () => {
  const follower = createFollower();
  follower.toggleRow(3);
  follower.scroll(IN_THE_MIDDLE);

  expect(follower.changeCount(IN_THE_MIDDLE)).toBe("end");
});

test("a new row ends the look at an expanded one", () => {
  const follower = createFollower();
  follower.toggleRow(3);
  follower.changeCount(AT_END);

  expect(follower.changeHeight(AT_END)).toBe("end");
});

test("who scrolls away after expanding a row stays where they are", () => {
  const follower = createFollower();
  follower.toggleRow(3);
  follower.releaseRow();
  follower.scroll(IN_THE_MIDDLE);

  expect([follower.changeHeight(IN_THE_MIDDLE), follower.changeCount(IN_THE_MIDDLE)]).toEqual([null, null]);
});

test("who asks for the end gets it, and follows it", () => {
  const follower = createFollower();
  follower.scroll(IN_THE_MIDDLE);
  follower.toggleRow(3);
  follower.followEnd();

  expect(follower.changeHeight(IN_THE_MIDDLE)).toBe("end");
});

test("who scrolls up is left alone before the event of the scroll arrives", () => {
  const follower = createFollower();

  expect(follower.hasUnseenScroll(IN_THE_MIDDLE)).toBe(true);
  expect([follower.changeHeight(IN_THE_MIDDLE), follower.changeCount(IN_THE_MIDDLE)]).toEqual([null, null]);
  expect(follower.hasUnseenScroll(IN_THE_MIDDLE)).toBe(false);
});

test("the end is followed when the rows become lower and the browser moves the box", () => {
  const follower = createFollower();

  expect(follower.changeHeight({ ...AT_END, scrollTop: 600, scrollHeight: 900 })).toBe("end");
});

test("a box that is hidden was not scrolled", () => {
  const hidden: ScrollBox = { scrollTop: 0, clientHeight: 0, scrollHeight: 0 };
  const follower = createFollower();
  follower.scroll(IN_THE_MIDDLE);

  expect(follower.hasUnseenScroll(hidden)).toBe(false);
  expect(follower.changeCount(hidden)).toBe(null);
});
