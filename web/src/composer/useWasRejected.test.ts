import { expect, test } from "vitest";
import { renderHook } from "../testing/renderHook";
import { useWasRejected } from "./useWasRejected";

const ERROR = { message: "The call has a problem.", problems: [], canForce: true, code: "InvalidArguments" };

test("what was sent is rejected when its error arrives", () => {
  expect(renderHook(() => useWasRejected(null))[0]).toBe(false);
  expect(renderHook(() => useWasRejected(ERROR))[0]).toBe(true);
});

test("it stays rejected while it is corrected, which clears the error", () => {
  let error: typeof ERROR | null = ERROR;
  const correct = () => {
    error = null;
  };

  expect(renderHook(() => useWasRejected(error), correct)[0]).toBe(true);
});

test("problems that were found without sending are shown too", () => {
  const [wasRejected] = renderHook(
    () => useWasRejected(null),
    ([, setWasRejected]) => setWasRejected(true),
  );

  expect(wasRejected).toBe(true);
});
