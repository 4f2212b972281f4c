import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";
import type { ExportFormat, ExportPreview, ExportResult, SessionRecord } from "../api/types";
import { app } from "../state/app";
import { installWindow } from "../testing/fakeBrowser";
import { sampleAgent, sampleFormat, sampleServer, sampleSession } from "../testing/samples";
import { ExportPathField } from "./ExportPathField";
import { ExportPreviewView } from "./ExportPreviewView";

// Links read the address of the page when they are loaded.
installWindow();
const { ExportDialog } = await import("./ExportDialog");
const { ExportSummary } = await import("./ExportSummary");

const FIXTURE = sampleFormat({ name: "adk-test", label: "Fixture for `adk test`", extension: ".json" });
const REPORT = sampleFormat({ name: "markdown", label: "Report in Markdown", extension: ".md", requirement: "" });
const LINES = sampleFormat({ name: "jsonl", extension: ".jsonl", requirement: "a turn that `adk test` can replay" });

afterEach(() => {
  app.server = null;
});

function render(export_formats: ExportFormat[], session: Partial<SessionRecord> = {}): string {
  app.server = sampleServer({ export_formats, agents: [sampleAgent({ eval_case_count: 2 })] });
  return renderToStaticMarkup(<ExportDialog session={sampleSession(session)} onClose={() => undefined} />);
}

test("the formats of the server are offered in its order, the first one chosen", () => {
  const page = render([REPORT, FIXTURE, sampleFormat()]);
  const radios = [...page.matchAll(/role="radio" aria-checked="(\w+)"[^>]*>(.*?)<\/button>/g)];

  expect(radios.map(([, isChecked, label]) => [isChecked, label])).toEqual([
    ["true", "Report in Markdown"],
    ["false", "Fixture for <code>adk test</code>"],
    ["false", "EvalSet case for <code>adk eval</code>"],
  ]);
});

test("an EvalSet case says to which file it is added", () => {
  expect(render([sampleFormat()])).toContain("<code>/evals/clinic.evalset.json</code>, which holds 2 cases.");
});

test("a format without a description of its own says its extension and what it needs", () => {
  expect(render([REPORT])).toContain("Writes a <code>.md</code> file. </p>");
  expect(render([LINES])).toContain("The session needs a turn that <code>adk test</code> can replay.");
});

test("an earlier export is mentioned only for its own format", () => {
  const exports = [{ format: "adk-test", path: "/a.json", eval_id: "case-1", exported_at: 0 } as const];

  expect(render([FIXTURE], { exports: [...exports] })).toContain("case-1");
  expect(render([REPORT], { exports: [...exports] })).not.toContain("case-1");
});

test("nothing can be written before the server has said which formats it has", () => {
  expect(render([])).toMatch(/<button[^>]* disabled=""[^>]*>Write the file/);
});

const RESULT: ExportResult = {
  session_id: "s",
  revision: 1,
  format: "evalset",
  path: "/evals/clinic.evalset.json",
  eval_id: "clinic 1",
  exported_at: 0,
  text: "{}",
  command: "adk eval",
  criteria_path: null,
  eval_case: null,
  left_out: [],
  warnings: [],
};

test("what was written can be opened where the server has pages for it", () => {
  const keys = { file_key: "clinic", case_key: "a/b" };

  expect(renderToStaticMarkup(<ExportSummary result={{ ...RESULT, eval_case: keys }} />)).toContain(
    '<a href="/evals/clinic/a%2Fb">Open the case</a>',
  );
  expect(renderToStaticMarkup(<ExportSummary result={RESULT} />)).not.toContain("Open the case");
});

function renderPreview(changes: Partial<ExportPreview>): string {
  const preview: ExportPreview = {
    path: "/evals/clinic.evalset.json",
    folder: "/evals",
    eval_id: "clinic_1",
    is_appended: true,
    is_redacted: false,
    text: "{}",
    left_out: [],
    warnings: [],
    criteria_path: "/evals/test_config.json",
    criteria: null,
    obstacles: [],
    previous: null,
    replaceable: null,
    ...changes,
  };
  return renderToStaticMarkup(
    <ExportPreviewView
      preview={preview}
      isRedactable
      includesRejected={false}
      onIncludeRejected={() => undefined}
      onRedact={() => undefined}
    />,
  );
}

test("a preview names the case, and groups what is left out and all warnings", () => {
  const page = renderPreview({ left_out: ["user turn 2 was left out"], warnings: ["call 1 failed", "call 2 failed"] });

  expect(page).toContain("Adds the case <code>clinic_1</code>");
  expect(page).toMatch(/aria-label="Left out".*user turn 2 was left out.*aria-label="Warnings".*call 1.*call 2/s);
  expect(page).not.toContain("Cannot be replayed");
});

test("secrets are removed where the format does so by itself, or where that is chosen", () => {
  expect(renderPreview({})).toMatch(/<input type="checkbox"\/> Remove secrets/);
  expect(renderPreview({ is_redacted: true })).toMatch(/<input type="checkbox" checked=""\/> Remove secrets/);
});

test("a timeline, which may be long, is not shown before it is written", () => {
  expect(renderPreview({ text: "" })).not.toContain("What will be written");
  expect(renderPreview({})).toContain("What will be written");
});

test("the file to write is in a field that names its folder", () => {
  const field = { folder: "/evals", value: "/evals/clinic.evalset.json", onType: vi.fn(), onChoose: vi.fn() };
  const page = renderToStaticMarkup(<ExportPathField {...field} />);

  expect(page).toMatch(/File, in \/evals<.*value="\/evals\/clinic.evalset.json"/);
});

test("rejected responses can be included only if there are some", () => {
  expect(renderPreview({})).not.toContain("Include rejected");
  expect(renderPreview({ left_out: ["1 structured response was left out"] })).toContain("Include rejected");
});
