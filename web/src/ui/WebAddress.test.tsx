import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { WebAddress } from "./WebAddress";

function render(address: string): string {
  return renderToStaticMarkup(<WebAddress address={address} />);
}

test.each(["https://login.example/auth?client_id=x&scope=a%20b", "http://localhost:8080/", "HTTPS://login.example"])(
  "%s is a link that opens beside the page and does not name it",
  (address) => {
    expect(render(address)).toMatch(/^<a .*href="https?:.* target="_blank" rel="noopener noreferrer">/i);
  },
);

test.each([
  "javascript:alert(1)",
  " javascript:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "file:///etc/passwd",
  "vbscript:x",
  "/sessions",
  "//login.example",
  "https://",
  "",
])("%j is only text", (address) => {
  expect(render(address)).not.toMatch(/<a |href/);
});
