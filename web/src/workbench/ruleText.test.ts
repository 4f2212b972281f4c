import { expect, test } from "vitest";
import { formatEffect, formatProfiles } from "./ruleText";

test("an action is shown as a rules file writes it, with the digits of its numbers", () => {
  expect(formatEffect('{"error":{"code":503,"message":"busy"}}')).toBe('error: {"code":503,"message":"busy"}');
  expect(formatEffect('{"delay":2.0}')).toBe("delay: 2.0");
});

test("a rule names the profiles in which it is used", () => {
  expect(formatProfiles(["outage"])).toBe("only in the profile outage");
  expect(formatProfiles(["outage", "slow"])).toBe("only in the profiles outage, slow");
});
