import { expect, test } from "vitest";
import type { SessionDetail } from "../api/types";
import { samplePending, sampleSession, sampleTimeTravel } from "../testing/samples";
import { canEditState, explainReadOnlyState } from "./stateEditing";

test.each<[Partial<SessionDetail>, boolean]>([
  [{ status: "new" }, true],
  [{ status: "done" }, true],
  [{ status: "failed" }, true],
  [{ status: "stopped" }, true],
  [{ status: "waiting", pending: [samplePending()] }, true],
  [{ status: "waiting", pending: [samplePending({ kind: "consent" })] }, true],
  [{ status: "waiting", pending: [samplePending(), samplePending({ kind: "tool" })] }, false],
  [{ status: "running" }, false],
  [{ status: "closed" }, false],
  [{ status: "waiting", pending: [samplePending()], has_control: false }, false],
  [{ status: "done", has_control: false }, false],
])("the state of the session %j can be edited: %j", (session, expected) => {
  expect(canEditState(sampleSession(session))).toBe(expected);
});

test.each<[Partial<SessionDetail>, RegExp]>([
  [{ status: "running" }, /when a turn waits for you/],
  [{ status: "waiting", has_control: false }, /runs in another process.*edit it where the agent runs/],
  [{ status: "done", has_control: false }, /runs in another process/],
  [{ status: "closed" }, /is over.*Fork it to go on/],
  [{ status: "closed", time_travel: sampleTimeTravel({ fork_problem: "No such agent." }) }, /cannot be edited\.$/],
])("why the state of the session %j cannot be edited matches %s", (session, expected) => {
  expect(explainReadOnlyState(sampleSession(session))).toMatch(expected);
});
