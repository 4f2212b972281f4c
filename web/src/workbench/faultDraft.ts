/** A fault as a person types it, and as a rules file writes its action. */

import type { FaultInfo, FaultInput } from "../api/types";
import { JsonError, type JsonObject, parse, parseNumber, stringify } from "../json/lossless";

/** Stands for the model where the name of a tool does; no tool can have this name. */
export const MODEL_SEAT = "(model)";

/** What can happen to a call of a tool. */
const TOOL_FAULTS = {
  error: "answers with an error",
  raise: "raises an exception",
  respond: "answers with",
  timeout: "times out after",
  delay: "is slower by",
} as const;

/** What can happen to a call of the model. */
const MODEL_FAULTS = {
  api_error: "fails with an API error",
  raise: "raises an exception",
  timeout: "times out after",
  delay: "is slower by",
  empty: "answers with nothing",
  cut_text: "answers with text that is cut off",
  max_tokens: "reaches its output limit (MAX_TOKENS)",
  malformed_call: "writes a call that cannot be parsed",
  unknown_tool: "calls a tool that does not exist",
  wrong_args: "calls with arguments of wrong types",
  stale: "repeats its last answer",
} as const;

export type FaultKind = keyof typeof TOOL_FAULTS | keyof typeof MODEL_FAULTS;

export interface FaultDraft {
  /** The tool, or MODEL_SEAT. */
  tool: string;
  kind: FaultKind;
  /** The code of an error. */
  code: string;
  /** The type of an exception. */
  exception: string;
  /** The message of an error or an exception. */
  message: string;
  /** The response, as JSON. */
  json: string;
  seconds: string;
  /** How much of a text remains. */
  characters: string;
  /** The name of the tool that the model makes up. */
  unknownTool: string;
}

export const NEW_FAULT: FaultDraft = {
  tool: "",
  kind: "error",
  code: "503",
  exception: "ConnectionError",
  message: "Service unavailable",
  json: '{"result": "ok"}',
  seconds: "5",
  characters: "20",
  unknownTool: "made_up_tool",
};

/** The kinds of faults for the tool or the model, each with its description. */
export function listFaultKinds(tool: string): [FaultKind, string][] {
  return Object.entries(tool === MODEL_SEAT ? MODEL_FAULTS : TOOL_FAULTS) as [FaultKind, string][];
}

/** The draft for a tool or the model; a kind that it cannot have becomes its first one. */
export function chooseTarget(draft: FaultDraft, tool: string): FaultDraft {
  const kinds = listFaultKinds(tool).map(([kind]) => kind);
  return { ...draft, tool, kind: kinds.includes(draft.kind) ? draft.kind : (kinds[0] as FaultKind) };
}

/** Why a fault cannot be added; empty if it can. `tools` are the names that exist. */
export function findFaultProblem(draft: FaultDraft, tools: string[]): string {
  switch (draft.kind) {
    case "error":
      if (!/^-?\d+$/.test(draft.code.trim())) return "The code is a whole number, such as 404 or 503.";
      return draft.message.trim() ? "" : "Write the message of the error.";
    case "api_error":
      return /^[45]\d\d$/.test(draft.code.trim()) ? "" : "The code is a status from 400 to 599, such as 429 or 503.";
    case "respond":
      return findJsonProblem(draft.json);
    case "timeout":
    case "delay":
      return isNumber(draft.seconds) ? "" : "Write a number of seconds, 0 or more.";
    case "cut_text":
    case "max_tokens":
      return /^\d{1,9}$/.test(draft.characters.trim()) ? "" : "Write a whole number of characters, 0 or more.";
    case "unknown_tool":
      if (!draft.unknownTool.trim()) return "Write the name of a tool that does not exist.";
      return tools.includes(draft.unknownTool.trim()) ? "This tool exists. Write a name that no tool has." : "";
    default:
      return "";
  }
}

function findJsonProblem(json: string): string {
  try {
    parse(json);
    return "";
  } catch (error) {
    if (error instanceof JsonError) return `The response is not JSON: ${error.message}`;
    throw error;
  }
}

function isNumber(text: string): boolean {
  return parseNumber(text.trim()) !== null && Number(text) >= 0;
}

/** What the server gets for a draft. */
export function buildFaultInput(draft: FaultDraft): FaultInput {
  const action = formatFaultAction(draft);
  return draft.tool === MODEL_SEAT
    ? { seat: "model", tool_name: "", action }
    : { seat: "tool", tool_name: draft.tool, action };
}

/** The fault as a rules file writes its action. */
export function formatFaultAction(draft: FaultDraft): string {
  const { kind, code, exception, message, json, seconds, characters, unknownTool } = draft;
  switch (kind) {
    case "error":
      return `{"error": {"code": ${code.trim()}, "message": ${JSON.stringify(message)}}}`;
    case "api_error":
      return JSON.stringify({ api_error: { code: Number(code), ...(message.trim() ? { message } : {}) } });
    case "raise":
      return JSON.stringify({ raise: message.trim() ? { type: exception, message } : exception });
    case "respond":
      return `{"respond": ${stringify(parse(json))}}`;
    case "timeout":
    case "delay":
      return `{${JSON.stringify(kind)}: ${seconds.trim()}}`;
    case "cut_text":
    case "max_tokens":
      return JSON.stringify({ [kind]: Number(characters) });
    case "unknown_tool":
      return JSON.stringify({ unknown_tool: unknownTool.trim() });
    default:
      return JSON.stringify({ [kind]: true });
  }
}

/** The tool of a fault, or MODEL_SEAT. */
export function getFaultTarget(fault: Pick<FaultInfo, "seat" | "tool_name">): string {
  return fault.seat === "model" ? MODEL_SEAT : fault.tool_name;
}

/** The draft of an action that was added before; null if the form has no fields for it. */
export function readFaultAction(tool: string, action: string): FaultDraft | null {
  const parsed = parse(action);
  if (!(parsed instanceof Map)) return null;
  const kind = listFaultKinds(tool).find(([faultKind]) => parsed.has(faultKind))?.[0];
  const value = kind && parsed.get(kind);
  if (kind === undefined || value === undefined) return null;
  const draft = { ...NEW_FAULT, tool, kind };
  switch (kind) {
    case "error":
    case "api_error":
    case "raise":
      return readErrorFault(draft, value);
    case "respond":
      return { ...draft, json: stringify(value) };
    case "timeout":
    case "delay":
      return value instanceof Map ? null : { ...draft, seconds: stringify(value) };
    case "cut_text":
    case "max_tokens":
      return { ...draft, characters: stringify(value) };
    case "unknown_tool":
      return { ...draft, unknownTool: String(value) };
    default:
      return draft;
  }
}

/** An error or exception: a code or a type with a message, or only the code or the type. */
function readErrorFault(draft: FaultDraft, value: ReturnType<typeof parse>): FaultDraft | null {
  const key = draft.kind === "raise" ? "exception" : "code";
  const readText = (object: JsonObject, name: string) => {
    const item = object.get(name);
    return item === undefined ? "" : typeof item === "string" ? item : stringify(item);
  };
  if (value instanceof Map)
    return {
      ...draft,
      [key]: readText(value, draft.kind === "raise" ? "type" : "code"),
      message: readText(value, "message"),
    };
  if (draft.kind === "raise") return typeof value === "string" ? { ...draft, exception: value, message: "" } : null;
  return draft.kind === "api_error" ? { ...draft, code: stringify(value), message: "" } : null;
}
