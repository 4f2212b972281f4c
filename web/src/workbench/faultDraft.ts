/** A fault as a person types it, and as a rules file writes its action. */

import { JsonError, type JsonObject, parse, parseNumber, stringify } from "../json/lossless";

export const FAULT_KINDS = {
  error: "answers with an error",
  raise: "raises an exception",
  respond: "answers with",
  timeout: "times out after",
  delay: "is slower by",
} as const;
export type FaultKind = keyof typeof FAULT_KINDS;

export interface FaultDraft {
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
}

export const NEW_FAULT: FaultDraft = {
  tool: "",
  kind: "error",
  code: "503",
  exception: "ConnectionError",
  message: "Service unavailable",
  json: '{"result": "ok"}',
  seconds: "5",
};

/** Why a fault cannot be added; empty if it can. */
export function findFaultProblem({ kind, code, message, json, seconds }: FaultDraft): string {
  if (kind === "error") {
    if (!/^-?\d+$/.test(code.trim())) return "The code is a whole number, such as 404 or 503.";
    return message.trim() ? "" : "Write the message of the error.";
  }
  if (kind === "respond") {
    try {
      parse(json);
    } catch (error) {
      if (error instanceof JsonError) return `The response is not JSON: ${error.message}`;
      throw error;
    }
  }
  if (kind === "timeout" || kind === "delay") {
    const number = parseNumber(seconds.trim());
    if (number === null || Number(seconds) < 0) return "Write a number of seconds, 0 or more.";
  }
  return "";
}

/** The fault as a rules file writes its action. */
export function formatFaultAction({ kind, code, exception, message, json, seconds }: FaultDraft): string {
  if (kind === "error") return `{"error": {"code": ${code.trim()}, "message": ${JSON.stringify(message)}}}`;
  if (kind === "raise") return JSON.stringify({ raise: message.trim() ? { type: exception, message } : exception });
  if (kind === "respond") return `{"respond": ${stringify(parse(json))}}`;
  return `{${JSON.stringify(kind)}: ${seconds.trim()}}`;
}

/** The draft of an action that was added before; null if the form has no fields for it. */
export function readFaultAction(tool: string, action: string): FaultDraft | null {
  const parsed = parse(action);
  if (!(parsed instanceof Map)) return null;
  const kind = Object.keys(FAULT_KINDS).find((one) => parsed.has(one)) as FaultKind | undefined;
  const value = kind && parsed.get(kind);
  if (kind === undefined || value === undefined) return null;
  const draft = { ...NEW_FAULT, tool, kind };
  const readText = (object: JsonObject, key: string) => {
    const item = object.get(key);
    return item === undefined ? "" : typeof item === "string" ? item : stringify(item);
  };
  if (kind === "respond") return { ...draft, json: stringify(value) };
  if (kind === "timeout" || kind === "delay")
    return value instanceof Map ? null : { ...draft, seconds: stringify(value) };
  if (!(value instanceof Map)) return typeof value === "string" ? { ...draft, exception: value, message: "" } : null;
  const message = readText(value, "message");
  return kind === "error"
    ? { ...draft, code: readText(value, "code"), message }
    : { ...draft, exception: readText(value, "type"), message };
}
