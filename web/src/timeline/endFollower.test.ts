import { expect, test } from "vitest";
import { EndFollower, type ScrollBox } from "./endFollower";

const AT_END: ScrollBox = { scrollTop: 700, clientHeight: 300, scrollHeight: 1000 };
const IN_THE_MIDDLE: ScrollBox = { ...AT_END, scrollTop: 200 };

test("it follows the end from the start", () => {
  const follower = new EndFollower();

  expect(follower.changeCount()).toBe("end");
  expect(follower.changeHeight()).toBe("end");
});

test("who scrolls up is left alone, and who scrolls back down follows again", () => {
  const follower = new EndFollower();
  expect(follower.scroll(IN_THE_MIDDLE)).toBe(false);
  expect([follower.changeCount(), follower.changeHeight()]).toEqual([null, null]);
  expect(follower.scroll(AT_END)).toBe(true);
  expect(follower.changeCount()).toBe("end");
});

test("less than one row from the end counts as the end", () => {
  const follower = new EndFollower();

  expect(follower.scroll({ ...AT_END, scrollTop: 673 })).toBe(true);
  expect(follower.scroll({ ...AT_END, scrollTop: 672 })).toBe(false);
});

test("a row that was just expanded stays on the screen while it grows", () => {
  const follower = new EndFollower();
  follower.toggleRow(3);

  expect(follower.changeHeight()).toEqual({ row: 3 });
  expect(follower.changeHeight()).toEqual({ row: 3 });
});

test("the scrolling that an expanded row causes does not end the following", () => {
  const follower = new EndFollower();
  follower.toggleRow(3);
  follower.scroll(IN_THE_MIDDLE);

  expect(follower.changeCount()).toBe("end");
});

test("a new row ends the look at an expanded one", () => {
  const follower = new EndFollower();
  follower.toggleRow(3);
  follower.changeCount();

  expect(follower.changeHeight()).toBe("end");
});

test("who scrolls away after expanding a row stays where they are", () => {
  const follower = new EndFollower();
  follower.toggleRow(3);
  follower.releaseRow();
  follower.scroll(IN_THE_MIDDLE);

  expect([follower.changeHeight(), follower.changeCount()]).toEqual([null, null]);
});

test("who asks for the end gets it, and follows it", () => {
  const follower = new EndFollower();
  follower.scroll(IN_THE_MIDDLE);
  follower.toggleRow(3);
  follower.followEnd();

  expect(follower.changeHeight()).toBe("end");
});
