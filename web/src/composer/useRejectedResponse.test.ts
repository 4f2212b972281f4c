import { expect, test } from "vitest";
import { sampleRow } from "../testing/samples";
import { findRejection } from "./useRejectedResponse";

const REJECTED = sampleRow({ subject: "set_model_response", status: "failed", result: "no TODO" });
const FAILED_RUN = sampleRow({ kind: "error", agent_name: "", summary: "ValidationError" });
const MESSAGE = sampleRow({ kind: "user", agent_name: "" });

test.each([
  ["a failed call of ADK's tool for responses", [MESSAGE, REJECTED], REJECTED],
  ["the same, while an agent beside it goes on", [REJECTED, sampleRow({ agent_name: "Billing" })], REJECTED],
  ["a run that failed with it, before the next message", [FAILED_RUN, MESSAGE], FAILED_RUN],
])("a response is rejected by %s", (_name, rows, row) => {
  expect(findRejection(rows, "ClinicDesk")).toBe(row);
});

test.each([
  ["it was accepted", [sampleRow({ subject: "set_model_response" })]],
  ["it answered, and the user has another question", [sampleRow({ kind: "answer" }), MESSAGE]],
  ["another tool failed", [sampleRow({ subject: "lookup", status: "failed" })]],
  ["another agent's was rejected", [{ ...REJECTED, agent_name: "Billing" }]],
  ["nothing has happened", []],
])("a response is not rejected if %s", (_name, rows) => {
  expect(findRejection(rows, "ClinicDesk")).toBeUndefined();
});
