import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Briefing } from "../api/types";
import { installStorage } from "../testing/fakeBrowser";
import { ADD, LOOKUP, sampleBriefing, sampleSession } from "../testing/samples";
import { BriefingPane } from "./BriefingPane";

beforeEach(() => {
  installStorage();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

function render(briefing: Partial<Briefing>): string {
  return renderToStaticMarkup(<BriefingPane session={sampleSession()} briefing={sampleBriefing(briefing)} />);
}

test("an instruction whose variables are not set yet is shown as a template, not as an error", () => {
  const parts = [{ text: "Help {name}.", is_from_adk: false }];
  const page = render({ instruction: "Help {name}.", instruction_parts: parts, is_template: true });

  expect(page).toContain("Help {name}.");
  expect(page).toContain("filled when the agent runs");
  expect(page).not.toContain("no instruction");
  expect(page).not.toContain('role="alert"');
});

test.each(["Instruction", "Tools"])("why nothing is known is a note and no error (%s)", (tab) => {
  localStorage.setItem("adksim:briefing-tab", JSON.stringify(tab));
  const page = render({ instruction: "", instruction_parts: [], tools: [], note: "No model was asked." });

  expect(page).toContain("No model was asked.");
  expect(page).not.toContain("This agent has no");
  expect(page).not.toContain('role="alert"');
});

test("what ADK added is marked", () => {
  const instruction_parts = [
    { text: "Be kind.", is_from_adk: false },
    { text: "You are an agent.", is_from_adk: true },
  ];
  const page = render({ instruction: "Be kind. You are an agent.", instruction_parts });

  expect(page.indexOf("Be kind.")).toBeLessThan(page.indexOf("Added by ADK"));
  expect(page.indexOf("Added by ADK")).toBeLessThan(page.indexOf("You are an agent."));
});

test("a tool that asks for consent says so", () => {
  localStorage.setItem("adksim:briefing-tab", JSON.stringify("Tools"));
  const page = render({ tools: [{ ...ADD, asks_for_consent: true }, LOOKUP] });

  expect(page.match(/may ask for consent/g)).toHaveLength(1);
});
