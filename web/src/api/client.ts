import type {
  AnnotationInfo,
  AnnotationPatch,
  Briefing,
  CheckInput,
  ConsentInput,
  DecisionInput,
  EnvironmentInfo,
  ErrorBody,
  EventDetail,
  ExportInput,
  ExportPreview,
  ExportResult,
  FaultInput,
  FieldProblem,
  QueuePage,
  Row,
  RowDetail,
  RuleSwitchInput,
  ScenarioInfo,
  ScenarioSummary,
  ServerInfo,
  SessionDetail,
  SessionPage,
  SessionStatus,
  Suggestion,
  TimeControlInput,
  UserMessage,
  WorldAction,
  WorldActionResult,
  WorldCallInput,
  WorldInfo,
  WorldTool,
} from "./types";

/** An error response of the server; `body` says why and what to do. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
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

async function readErrorBody(response: Response): Promise<ErrorBody> {
  const fallback: ErrorBody = {
    error: `HTTP ${response.status}`,
    message: `The server answered ${response.status} ${response.statusText}.`,
    problems: [],
    can_override: false,
  };
  try {
    return { ...fallback, ...((await response.json()) as Partial<ErrorBody>) };
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

const faultUrl = (sessionId: string, faultId: string): string =>
  sessionUrl(sessionId, `/environment/faults/${encodeURIComponent(faultId)}`);

const scenarioUrl = (key: string, rest = ""): string => `/api/scenarios/${encodeURIComponent(key)}${rest}`;

/** Which page of a list: where the previous one ended, and how many entries it holds at most. */
export interface PageQuery {
  cursor?: string;
  limit?: number;
}

/** Which sessions a list contains; what is left out or empty excludes nothing. */
export interface SessionQuery extends PageQuery {
  q?: string;
  status?: readonly SessionStatus[];
  agent?: string;
}

function formatQuery(query: Record<string, string | number | readonly string[] | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one) parameters.append(name, String(one));
  }
  return parameters.size ? `?${parameters}` : "";
}

/** Every endpoint of the web API. */
export const api = {
  getServer: () => requestJson<ServerInfo>("GET", "/api/server"),
  listSessions: (query: SessionQuery) => requestJson<SessionPage>("GET", `/api/sessions${formatQuery({ ...query })}`),
  listQueue: (query: PageQuery) => requestJson<QueuePage>("GET", `/api/queue${formatQuery({ ...query })}`),
  createSession: (agentKey: string) => requestJson<SessionDetail>("POST", "/api/sessions", { agent_key: agentKey }),
  renameSession: (sessionId: string, name: string) =>
    requestJson<SessionDetail>("PATCH", sessionUrl(sessionId), { name }),
  deleteSession: (sessionId: string) => requestOk("DELETE", sessionUrl(sessionId)),
  closeSession: (sessionId: string) => requestJson<SessionDetail>("POST", sessionUrl(sessionId, "/close")),
  listRows: (sessionId: string, start: number, count: number) =>
    requestJson<Row[]>("GET", sessionUrl(sessionId, `/rows?start=${start}&count=${count}`)),
  getRow: (sessionId: string, index: number, full: boolean) =>
    requestJson<RowDetail>("GET", sessionUrl(sessionId, `/rows/${index}?full=${full}`)),
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
  sendDecision: (sessionId: string, turnId: string, decision: DecisionInput) =>
    requestOk("POST", turnUrl(sessionId, turnId, "/decision"), decision),
  checkValue: (sessionId: string, turnId: string | null, value: CheckInput) =>
    requestJson<FieldProblem[]>(
      "POST",
      sessionUrl(sessionId, `/check${turnId ? `?turn_id=${encodeURIComponent(turnId)}` : ""}`),
      value,
    ),
  sendConsent: (sessionId: string, consent: ConsentInput) =>
    requestOk("POST", sessionUrl(sessionId, "/consent"), consent),
  cancelCall: (sessionId: string, callId: string) =>
    requestOk("POST", sessionUrl(sessionId, `/calls/${encodeURIComponent(callId)}/cancel`)),
  stopRun: (sessionId: string) => requestOk("POST", sessionUrl(sessionId, "/stop")),
  requestSuggestion: (sessionId: string, turnId: string) =>
    requestJson<Suggestion>("POST", turnUrl(sessionId, turnId, "/suggestion")),
  runOwnModel: (sessionId: string, turnId: string) => requestOk("POST", turnUrl(sessionId, turnId, "/own-model")),
  getEnvironment: (sessionId: string) => requestJson<EnvironmentInfo>("GET", sessionUrl(sessionId, "/environment")),
  switchRule: (sessionId: string, input: RuleSwitchInput) =>
    requestJson<EnvironmentInfo>("POST", sessionUrl(sessionId, "/environment/rules"), input),
  addFault: (sessionId: string, input: FaultInput) =>
    requestJson<EnvironmentInfo>("POST", sessionUrl(sessionId, "/environment/faults"), input),
  replaceFault: (sessionId: string, faultId: string, input: FaultInput) =>
    requestJson<EnvironmentInfo>("PUT", faultUrl(sessionId, faultId), input),
  removeFault: (sessionId: string, faultId: string) =>
    requestJson<EnvironmentInfo>("DELETE", faultUrl(sessionId, faultId)),
  exportSession: (sessionId: string, input: ExportInput) =>
    requestJson<ExportResult>("POST", sessionUrl(sessionId, "/export"), input),
  previewExport: (sessionId: string, input: ExportInput) =>
    requestJson<ExportPreview>("POST", sessionUrl(sessionId, "/export/preview"), input),
  listScenarios: () => requestJson<ScenarioSummary[]>("GET", "/api/scenarios"),
  getScenario: (scenarioKey: string) => requestJson<ScenarioInfo>("GET", scenarioUrl(scenarioKey)),
  getEvent: (scenarioKey: string, index: number) =>
    requestJson<EventDetail>("GET", scenarioUrl(scenarioKey, `/events/${index}`)),
  saveAnnotation: (scenarioKey: string, patch: AnnotationPatch) =>
    requestJson<AnnotationInfo>("PATCH", scenarioUrl(scenarioKey, "/annotation"), patch),
  getAppState: async (scenarioKey: string, app: string) =>
    (await sendRequest("GET", scenarioUrl(scenarioKey, `/state?app=${encodeURIComponent(app)}`))).text(),
  getWorld: (scenarioKey: string) => requestJson<WorldInfo>("GET", scenarioUrl(scenarioKey, "/world")),
  listWorldTools: (scenarioKey: string) => requestJson<WorldTool[]>("GET", scenarioUrl(scenarioKey, "/world/tools")),
  listWorldActions: (scenarioKey: string) =>
    requestJson<WorldAction[]>("GET", scenarioUrl(scenarioKey, "/world/actions")),
  checkWorldCall: (scenarioKey: string, call: WorldCallInput) =>
    requestJson<FieldProblem[]>("POST", scenarioUrl(scenarioKey, "/world/check"), call),
  callWorldTool: (scenarioKey: string, call: WorldCallInput) =>
    requestJson<WorldActionResult>("POST", scenarioUrl(scenarioKey, "/world/calls"), call),
  changeWorldTime: (scenarioKey: string, input: TimeControlInput) =>
    requestJson<WorldActionResult>("POST", scenarioUrl(scenarioKey, "/world/time"), input),
};

/** The message of anything that was thrown. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
