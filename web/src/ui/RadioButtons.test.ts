import { expect, test } from "vitest";
import { findNextOption } from "./RadioButtons";

const OPTIONS = [
  { value: "all", label: "all" },
  { value: "calls", label: "calls", disabled: true },
  { value: "errors", label: "errors" },
] as const;

test.each([
  ["all", "ArrowRight", "errors"],
  ["errors", "ArrowDown", "all"],
  ["all", "ArrowLeft", "errors"],
  ["errors", "ArrowUp", "all"],
  ["all", "x", undefined],
] as const)("from %s, %s goes to %s: round the ends, and over what is disabled", (value, key, next) => {
  expect(findNextOption(OPTIONS, value, key)).toBe(next);
});
