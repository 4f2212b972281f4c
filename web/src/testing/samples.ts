/** Values as the server sends them; a test states only what it is about. */

import type { Briefing, Row, SessionNews, SessionShape, ToolShape } from "../api/types";

export function sampleSession(changes: Partial<SessionShape> = {}): SessionShape {
  return {
    agent: "clinic",
    agent_name: "ClinicDesk",
    confirmation: null,
    created_at: 0,
    exports: [],
    failure: "",
    last_event_at: 0,
    name: "Session 1",
    rows: 0,
    running_since: null,
    seq: 0,
    session_id: "s1",
    status: "query",
    waiting: [],
    ...changes,
  };
}

export function sampleRow(changes: Partial<Row> = {}): Row {
  return {
    agent_name: "ClinicDesk",
    at: 0,
    call_id: "",
    duration_ms: null,
    index: 0,
    kind: "call",
    player: "human",
    result: "",
    rule: "",
    seq: 1,
    status: "done",
    subject: "",
    summary: "",
    updated: 1,
    ...changes,
  };
}

/** Rows with these indexes. */
export function sampleRows(start: number, count: number, updated = 1): Row[] {
  return Array.from({ length: count }, (_, offset) =>
    sampleRow({ index: start + offset, updated, summary: `row ${start + offset}` }),
  );
}

export function sampleUpdate(session: Partial<SessionShape>, rows: Row[] = []): SessionNews {
  return { type: "session", session: sampleSession(session), rows };
}

export const ADD: ToolShape = {
  name: "add",
  description: "Adds two numbers.",
  parameters: {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    required: ["a", "b"],
  },
  response: null,
};

export const LOOKUP: ToolShape = {
  name: "lookup",
  description: "Finds a patient.",
  parameters: { type: "object", properties: { patient: { type: "string" } }, required: ["patient"] },
  response: null,
};

export function sampleBriefing(changes: Partial<Briefing> = {}): Briefing {
  return {
    agent_name: "ClinicDesk",
    input_schema: null,
    instruction: "",
    model: "",
    output_schema: null,
    problem: "",
    tools: [ADD, LOOKUP],
    ...changes,
  };
}
