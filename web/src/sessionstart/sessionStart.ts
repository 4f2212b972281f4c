import { readStored, writeStored } from "../state/storedState";

/** What new sessions of an agent begin with. */
export interface SessionStart {
  userId: string;
  /** A JSON object as text; empty for none. */
  state: string;
}

const NOTHING: SessionStart = { userId: "", state: "" };

/** What was chosen last for an agent, in this browser. */
export function loadSessionStart(agentKey: string): SessionStart {
  return { ...NOTHING, ...readStored<Partial<SessionStart>>(storageKey(agentKey), {}) };
}

export function storeSessionStart(agentKey: string, start: SessionStart): void {
  writeStored(storageKey(agentKey), start);
}

/** In one line; empty if a session begins with nothing special. */
export function describeSessionStart({ userId, state }: SessionStart): string {
  const parts = [userId ? `user ${userId}` : "", state && state !== "{}" ? `state ${state}` : ""];
  return parts.filter(Boolean).join(", ");
}

function storageKey(agentKey: string): string {
  return `session-start:${agentKey}`;
}
