/** Values as the server sends them; a test states only what it is about. */

import type {
  AgentInfo,
  Briefing,
  ExportFormat,
  PendingRequest,
  ServerInfo,
  SessionDetail,
  SessionListUpdate,
  SessionUpdate,
  TimelineRow,
  TimeTravelInfo,
  ToolInfo,
} from "../api/types";
import { buildReadOnlySession, NO_TIME_TRAVEL } from "../state/readOnlySession";

export function sampleAgent(changes: Partial<AgentInfo> = {}): AgentInfo {
  return {
    description: "",
    eval_case_count: null,
    eval_set_path: "/evals/clinic.evalset.json",
    state_keys: [],
    eval_set_problem: "",
    key: "clinic",
    load_advice: "",
    load_problem: "",
    load_status: "loaded",
    load_trace: "",
    model: "",
    name: "ClinicDesk",
    problem: "",
    revision: 0,
    sub_agents: [],
    tools: [],
    ...changes,
  };
}

export function sampleFormat(changes: Partial<ExportFormat> = {}): ExportFormat {
  return {
    extension: ".evalset.json",
    is_appended: true,
    is_golden_trace: true,
    is_redactable: true,
    is_redacted_by_default: false,
    label: "EvalSet case for `adk eval`",
    name: "evalset",
    requirement: "a finished turn",
    ...changes,
  };
}

export function sampleServer(changes: Partial<ServerInfo> = {}): ServerInfo {
  return {
    agents: [sampleAgent()],
    export_formats: [sampleFormat()],
    is_persistent: true,
    eval_file_count: 0,
    has_evals: false,
    bench_count: 0,
    scenario_count: 0,
    server_id: "x",
    version: "1",
    ...changes,
  };
}

export function sampleSession(changes: Partial<SessionDetail> = {}): SessionDetail {
  return buildReadOnlySession({
    session_id: "s1",
    name: "Session 1",
    status: "new",
    agent_key: "clinic",
    agent_revision: 0,
    agent_name: "ClinicDesk",
    agent_label: "Clinic desk",
    agent_names: ["ClinicDesk"],
    has_control: true,
    row_count: 0,
    turn_count: 0,
    call_count: 0,
    ...changes,
  });
}

/** The past of a session in which nothing was undone, and which is no fork. */
export function sampleTimeTravel(changes: Partial<TimeTravelInfo> = {}): TimeTravelInfo {
  return { ...NO_TIME_TRAVEL, ...changes };
}

/** A model turn that waits for a person. */
export function samplePending(changes: Partial<PendingRequest> = {}): PendingRequest {
  return {
    agent_name: "ClinicDesk",
    agent_path: null,
    call_id: "",
    claimed_by: "",
    claimed_until: 0,
    client_id: "",
    invocation_id: "i1",
    kind: "model",
    ordinal: 0,
    request_id: "t1",
    requested_at: 0,
    seq: 1,
    tool_name: "",
    ...changes,
  };
}

/** What the server reports of the lists. */
export function sampleListUpdate(changes: Partial<SessionListUpdate> = {}): SessionListUpdate {
  return { type: "sessions", revision: 2, pending_count: 0, sessions: [], deleted: [], reload: false, ...changes };
}

export function sampleRow(changes: Partial<TimelineRow> = {}): TimelineRow {
  return {
    agent_name: "ClinicDesk",
    force: false,
    branch: "",
    parent_call_id: "",
    turn_id: "",
    timestamp: 0,
    call_id: "",
    duration_ms: null,
    index: 0,
    kind: "call",
    note: "",
    player: "human",
    result: "",
    rule: "",
    is_unknown_tool: false,
    responder: "",
    seq: 1,
    status: "done",
    subject: "",
    summary: "",
    updated_seq: 1,
    world_seconds: null,
    ...changes,
  };
}

/** Rows with these indexes. */
export function sampleRows(start: number, count: number, updatedSeq = 1): TimelineRow[] {
  return Array.from({ length: count }, (_, offset) =>
    sampleRow({ index: start + offset, updated_seq: updatedSeq, summary: `row ${start + offset}` }),
  );
}

export function sampleUpdate(session: Partial<SessionDetail>, rows: TimelineRow[] = []): SessionUpdate {
  return { type: "session", session: sampleSession(session), rows };
}

export const ADD: ToolInfo = {
  name: "add",
  description: "Adds two numbers.",
  parameters: {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    required: ["a", "b"],
  },
  response_schema: null,
  asks_for_consent: false,
};

export const LOOKUP: ToolInfo = {
  name: "lookup",
  description: "Finds a patient.",
  parameters: { type: "object", properties: { patient: { type: "string" } }, required: ["patient"] },
  response_schema: null,
  asks_for_consent: false,
};

export function sampleBriefing(changes: Partial<Briefing> = {}): Briefing {
  return {
    agent_name: "ClinicDesk",
    input_schema: null,
    instruction: "",
    instruction_parts: [],
    is_template: false,
    model: "",
    output_schema: null,
    problem: "",
    note: "",
    tools: [ADD, LOOKUP],
    ...changes,
  };
}
