import { expect, test } from "vitest";
import { sampleRow } from "../testing/samples";
import { describeRejection, findRejection } from "./useRejectedResponse";

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

test("a rejection names the fields and what is wrong in them, without the words of the library", () => {
  const result = JSON.stringify({
    error:
      "Validation Error found:\n2 validation errors for Rating\ntitle\n  Value error, it must not contain TODO " +
      "[type=value_error, input_value='TODO', input_type=str]\n    For further information visit https://x\n" +
      "place.stars\n  Input should be less than 6 [type=less_than, input_value=7]",
  });

  expect(describeRejection(sampleRow({ result }))).toBe(
    "title: it must not contain TODO. place.stars: Input should be less than 6. Correct it and send it again.",
  );
});

test("a rejection that is cut or written otherwise refers to the timeline", () => {
  expect(describeRejection(sampleRow({ result: '{"error": "Validation Error fou…' }))).toBe("The timeline says why.");
});
