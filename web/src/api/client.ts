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

/** An error response of the server; `body` says why and what to do. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: Refusal,
  ) {
    super(body.message);
  }
}

/** The server could not be reached. */
export class ServerUnreachable extends Error {
  constructor() {
    super("The server does not respond. Your input is kept; try again when it is back.");
  }
}

async function sendRequest(method: string, path: string, body?: unknown): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
  } catch {
    throw new ServerUnreachable();
  }
  if (!response.ok) throw new ApiError(response.status, await readErrorBody(response));
  return response;
}

async function readErrorBody(response: Response): Promise<Refusal> {
  const fallback: Refusal = {
    error: `HTTP ${response.status}`,
    message: `The server answered ${response.status} ${response.statusText}.`,
    problems: [],
    can_insist: false,
  };
  try {
    return { ...fallback, ...((await response.json()) as Partial<Refusal>) };
  } catch {
    return fallback;
  }
}

async function requestJson<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await (await sendRequest(method, path, body)).json()) as T;
}

async function requestOk(method: string, path: string, body?: unknown): Promise<void> {
  await sendRequest(method, path, body);
}

const sessionUrl = (sessionId: string, rest = ""): string => `/api/sessions/${encodeURIComponent(sessionId)}${rest}`;
const turnUrl = (sessionId: string, turnId: string, rest: string): string =>
  sessionUrl(sessionId, `/turns/${encodeURIComponent(turnId)}${rest}`);

const scenarioUrl = (key: string, rest = ""): string => `/api/scenarios/${encodeURIComponent(key)}${rest}`;

/** Every endpoint of the web API. */
export const api = {
  getServer: () => requestJson<ServerShape>("GET", "/api/server"),
  listSessions: () => requestJson<SessionShape[]>("GET", "/api/sessions"),
  createSession: (agent: string) => requestJson<SessionShape>("POST", "/api/sessions", { agent }),
  renameSession: (sessionId: string, name: string) =>
    requestJson<SessionShape>("PATCH", sessionUrl(sessionId), { name }),
  deleteSession: (sessionId: string) => requestOk("DELETE", sessionUrl(sessionId)),
  closeSession: (sessionId: string) => requestOk("POST", sessionUrl(sessionId, "/close")),
  listRows: (sessionId: string, start: number, count: number) =>
    requestJson<Row[]>("GET", sessionUrl(sessionId, `/rows?start=${start}&count=${count}`)),
  getRow: (sessionId: string, index: number, whole: boolean) =>
    requestJson<RowDetail>("GET", sessionUrl(sessionId, `/rows/${index}?whole=${whole}`)),
  getBriefing: (sessionId: string, turnId: string | null) =>
    requestJson<Briefing>(
      "GET",
      sessionUrl(sessionId, `/briefing${turnId ? `?turn_id=${encodeURIComponent(turnId)}` : ""}`),
    ),
  /** As text, because JSON.parse would change numbers. */
  getRequest: async (sessionId: string, turnId: string) =>
    (await sendRequest("GET", turnUrl(sessionId, turnId, "/request"))).text(),
  getState: async (sessionId: string) => (await sendRequest("GET", sessionUrl(sessionId, "/state"))).text(),
  sendMessage: (sessionId: string, message: UserMessage) =>
    requestOk("POST", sessionUrl(sessionId, "/messages"), message),
  sendDecision: (sessionId: string, turnId: string, decision: Decision) =>
    requestOk("POST", turnUrl(sessionId, turnId, "/decision"), decision),
  checkValue: (sessionId: string, turnId: string | null, value: ValueToCheck) =>
    requestJson<Problem[]>(
      "POST",
      sessionUrl(sessionId, `/check${turnId ? `?turn_id=${encodeURIComponent(turnId)}` : ""}`),
      value,
    ),
  sendConsent: (sessionId: string, consent: Consent) => requestOk("POST", sessionUrl(sessionId, "/consent"), consent),
  cancelCall: (sessionId: string, callId: string) =>
    requestOk("POST", sessionUrl(sessionId, `/calls/${encodeURIComponent(callId)}/cancel`)),
  stopRun: (sessionId: string) => requestOk("POST", sessionUrl(sessionId, "/stop")),
  requestSuggestion: (sessionId: string, turnId: string) =>
    requestJson<Suggestion>("POST", turnUrl(sessionId, turnId, "/suggestion")),
  runOwnModel: (sessionId: string, turnId: string) => requestOk("POST", turnUrl(sessionId, turnId, "/own-model")),
  getEnvironment: (sessionId: string) => requestJson<EnvironmentShape>("GET", sessionUrl(sessionId, "/environment")),
  switchRule: (sessionId: string, input: RuleSwitch) =>
    requestJson<EnvironmentShape>("POST", sessionUrl(sessionId, "/environment/rules"), input),
  addFault: (sessionId: string, input: FaultOrder) =>
    requestJson<EnvironmentShape>("POST", sessionUrl(sessionId, "/environment/faults"), input),
  exportSession: (sessionId: string, input: ExportOrder) =>
    requestJson<ExportResult>("POST", sessionUrl(sessionId, "/export"), input),
  listScenarios: () => requestJson<ScenarioLine[]>("GET", "/api/scenarios"),
  getScenario: (scenarioKey: string) => requestJson<ScenarioShape>("GET", scenarioUrl(scenarioKey)),
  getEvent: (scenarioKey: string, place: number) =>
    requestJson<EventDetail>("GET", scenarioUrl(scenarioKey, `/events/${place}`)),
  saveAnnotation: (scenarioKey: string, patch: AnnotationPatch) =>
    requestJson<AnnotationShape>("PATCH", scenarioUrl(scenarioKey, "/annotation"), patch),
  getAppState: async (scenarioKey: string, app: string) =>
    (await sendRequest("GET", scenarioUrl(scenarioKey, `/state?app=${encodeURIComponent(app)}`))).text(),
  getWorld: (scenarioKey: string) => requestJson<WorldShape>("GET", scenarioUrl(scenarioKey, "/world")),
  listWorldTools: (scenarioKey: string) => requestJson<WorldTool[]>("GET", scenarioUrl(scenarioKey, "/world/tools")),
  listWorldActions: (scenarioKey: string) => requestJson<Deed[]>("GET", scenarioUrl(scenarioKey, "/world/deeds")),
  checkWorldCall: (scenarioKey: string, call: WorldCall) =>
    requestJson<Problem[]>("POST", scenarioUrl(scenarioKey, "/world/check"), call),
  callWorldTool: (scenarioKey: string, call: WorldCall) =>
    requestJson<Acted>("POST", scenarioUrl(scenarioKey, "/world/calls"), call),
  changeWorldTime: (scenarioKey: string, input: WorldTime) =>
    requestJson<Acted>("POST", scenarioUrl(scenarioKey, "/world/time"), input),
};

/** The message of anything that was thrown. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
