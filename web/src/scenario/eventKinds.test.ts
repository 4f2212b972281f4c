import { expect, test } from "vitest";
import { truncateMiddle } from "./eventKinds";

test("a long name keeps both of its ends", () => {
  expect(truncateMiddle("AgentUserInterface.send_message_to_user", 21)).toBe("AgentUserI…ge_to_user");
  expect(truncateMiddle("Emails.send_email", 21)).toBe("Emails.send_email");
});
