import type {
  Acted,
  AnnotationPatch,
  AnnotationShape,
  Briefing,
  Consent,
  Decision,
  Deed,
  EnvironmentShape,
  EventDetail,
  ExportOrder,
  ExportResult,
  FaultOrder,
  Problem,
  Refusal,
  Row,
  RowDetail,
  RuleSwitch,
  ScenarioLine,
  ScenarioShape,
  ServerShape,
  SessionShape,
  Suggestion,
  UserMessage,
  ValueToCheck,
  WorldCall,
  WorldShape,
  WorldTime,
  WorldTool,
} from "./types";

/** An answer of the server that is not the one hoped for; `refusal` says why and what to do. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly refusal: Refusal,
  ) {
    super(refusal.message);
  }
}

/** The server did not answer at all. */
export class Unreachable extends Error {
  constructor() {
    super("The server does not answer. What you typed is kept; try again when it is back.");
  }
}

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
  } catch {
    throw new Unreachable();
  }
  if (!response.ok) throw new Refused(response.status, await refusal(response));
  return response;
}

async function refusal(response: Response): Promise<Refusal> {
  const unread: Refusal = {
    error: `HTTP ${response.status}`,
    message: `The server answered ${response.status} ${response.statusText}.`,
    problems: [],
    can_insist: false,
  };
  try {
    return { ...unread, ...((await response.json()) as Partial<Refusal>) };
  } catch {
    return unread;
  }
}

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await (await send(method, path, body)).json()) as T;
}

async function done(method: string, path: string, body?: unknown): Promise<void> {
  await send(method, path, body);
}

const at = (sessionId: string, rest = ""): string => `/api/sessions/${encodeURIComponent(sessionId)}${rest}`;
const turn = (sessionId: string, turnId: string, rest: string): string =>
  at(sessionId, `/turns/${encodeURIComponent(turnId)}${rest}`);

const of = (key: string, rest = ""): string => `/api/scenarios/${encodeURIComponent(key)}${rest}`;

/** Every call of the server, one line each. */
export const api = {
  server: () => json<ServerShape>("GET", "/api/server"),
  sessions: () => json<SessionShape[]>("GET", "/api/sessions"),
  newSession: (agent: string) => json<SessionShape>("POST", "/api/sessions", { agent }),
  rename: (id: string, name: string) => json<SessionShape>("PATCH", at(id), { name }),
  delete: (id: string) => done("DELETE", at(id)),
  close: (id: string) => done("POST", at(id, "/close")),
  rows: (id: string, start: number, count: number) => json<Row[]>("GET", at(id, `/rows?start=${start}&count=${count}`)),
  row: (id: string, index: number, whole: boolean) => json<RowDetail>("GET", at(id, `/rows/${index}?whole=${whole}`)),
  briefing: (id: string, turnId: string | null) =>
    json<Briefing>("GET", at(id, `/briefing${turnId ? `?turn_id=${encodeURIComponent(turnId)}` : ""}`)),
  /** As text: what the model would get keeps its digits. */
  request: async (id: string, turnId: string) => (await send("GET", turn(id, turnId, "/request"))).text(),
  state: async (id: string) => (await send("GET", at(id, "/state"))).text(),
  say: (id: string, message: UserMessage) => done("POST", at(id, "/messages"), message),
  decide: (id: string, turnId: string, decision: Decision) => done("POST", turn(id, turnId, "/decision"), decision),
  check: (id: string, turnId: string | null, value: ValueToCheck) =>
    json<Problem[]>("POST", at(id, `/check${turnId ? `?turn_id=${encodeURIComponent(turnId)}` : ""}`), value),
  consent: (id: string, consent: Consent) => done("POST", at(id, "/consent"), consent),
  cancel: (id: string, callId: string) => done("POST", at(id, `/calls/${encodeURIComponent(callId)}/cancel`)),
  stop: (id: string) => done("POST", at(id, "/stop")),
  suggestion: (id: string, turnId: string) => json<Suggestion>("POST", turn(id, turnId, "/suggestion")),
  ownModel: (id: string, turnId: string) => done("POST", turn(id, turnId, "/own-model")),
  environment: (id: string) => json<EnvironmentShape>("GET", at(id, "/environment")),
  switchRule: (id: string, order: RuleSwitch) => json<EnvironmentShape>("POST", at(id, "/environment/rules"), order),
  addFault: (id: string, order: FaultOrder) => json<EnvironmentShape>("POST", at(id, "/environment/faults"), order),
  export: (id: string, order: ExportOrder) => json<ExportResult>("POST", at(id, "/export"), order),
  scenarios: () => json<ScenarioLine[]>("GET", "/api/scenarios"),
  scenario: (key: string) => json<ScenarioShape>("GET", of(key)),
  event: (key: string, place: number) => json<EventDetail>("GET", of(key, `/events/${place}`)),
  annotate: (key: string, patch: AnnotationPatch) => json<AnnotationShape>("PATCH", of(key, "/annotation"), patch),
  appState: async (key: string, app: string) =>
    (await send("GET", of(key, `/state?app=${encodeURIComponent(app)}`))).text(),
  world: (key: string) => json<WorldShape>("GET", of(key, "/world")),
  worldTools: (key: string) => json<WorldTool[]>("GET", of(key, "/world/tools")),
  deeds: (key: string) => json<Deed[]>("GET", of(key, "/world/deeds")),
  checkCall: (key: string, call: WorldCall) => json<Problem[]>("POST", of(key, "/world/check"), call),
  callTool: (key: string, call: WorldCall) => json<Acted>("POST", of(key, "/world/calls"), call),
  passTime: (key: string, order: WorldTime) => json<Acted>("POST", of(key, "/world/time"), order),
};

/** What went wrong, in words for a person. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
