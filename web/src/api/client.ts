import { loadSessionStart } from "../sessionstart/sessionStart";
import type {
  AgentInfo,
  AnnotationInfo,
  AnnotationPatch,
  BenchEntry,
  BenchInfo,
  BenchRunDetail,
  Briefing,
  CaseCheckInfo,
  CaseCorrectionInput,
  CheckInput,
  ConfirmationInput,
  DecisionInput,
  EnvironmentInfo,
  ErrorBody,
  EvalCaseDetail,
  EvalConversionResult,
  EvalEditResult,
  EvalFileInfo,
  EvalFileSummary,
  EventDetail,
  ExportPreview,
  ExportRequest,
  ExportResult,
  FaultInput,
  FieldProblem,
  NoteInput,
  OperationResult,
  PauseAnswerInput,
  PendingToolCall,
  PlayedWorldInfo,
  PlayerOption,
  ProfileSwitchInput,
  QueuePage,
  RowDetail,
  RuleSwitchInput,
  ScenarioCheck,
  ScenarioFindings,
  ScenarioInfo,
  ScenarioSummary,
  ServerInfo,
  SessionPage,
  SessionStatus,
  SessionVerdict,
  StateEdit,
  StateNeeds,
  Suggestion,
  TimeControlInput,
  TimelineRow,
  TimeTravelPlan,
  TimeTravelProgress,
  TimeTravelRequest,
  ToolResponseInput,
  ToolSwitchInput,
  UserMessage,
  WorldGraphInfo,
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
const toolCallUrl = (sessionId: string, requestId: string, rest = ""): string =>
  sessionUrl(sessionId, `/tool-calls/${encodeURIComponent(requestId)}${rest}`);

const faultUrl = (sessionId: string, faultId: string): string =>
  sessionUrl(sessionId, `/environment/faults/${encodeURIComponent(faultId)}`);

const benchRunUrl = (key: string, runId: string, rest = ""): string =>
  benchUrl(key, `/runs/${encodeURIComponent(runId)}${rest}`);
const benchUrl = (key: string, rest = ""): string => `/api/benches/${encodeURIComponent(key)}${rest}`;

const evalUrl = (fileKey: string, rest = ""): string => `/api/evals/${encodeURIComponent(fileKey)}${rest}`;
const evalCaseUrl = (fileKey: string, caseKey: string, rest = ""): string =>
  evalUrl(fileKey, `/cases/${encodeURIComponent(caseKey)}${rest}`);

const scenarioUrl = (key: string, rest = ""): string => `/api/scenarios/${encodeURIComponent(key)}${rest}`;

/** Whether what is expected of the agent is asked for, although a person is playing the scenario. */
const formatAnswer = (answer: boolean): string => (answer ? "?answer=true" : "");

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
    for (const item of Array.isArray(value) ? value : [value]) if (item) parameters.append(name, String(item));
  }
  return parameters.size ? `?${parameters}` : "";
}

/** Every endpoint of the web API. */
export const api = {
  getServer: () => requestJson<ServerInfo>("GET", "/api/server"),
  listSessions: (query: SessionQuery) => requestJson<SessionPage>("GET", `/api/sessions${formatQuery({ ...query })}`),
  listQueue: (query: PageQuery) => requestJson<QueuePage>("GET", `/api/queue${formatQuery({ ...query })}`),
  loadAgent: (agentKey: string) => requestJson<AgentInfo>("POST", `/api/agents/${encodeURIComponent(agentKey)}/load`),
  /** Starts a session, as the person has chosen it for this agent. */
  createSession: (agentKey: string) => {
    const { userId, state } = loadSessionStart(agentKey);
    const chosen = { ...(userId ? { user_id: userId } : {}), ...(state ? { state } : {}) };
    return requestJson<OperationResult>("POST", "/api/sessions", { agent_key: agentKey, ...chosen });
  },
  renameSession: (sessionId: string, name: string) =>
    requestJson<OperationResult>("PATCH", sessionUrl(sessionId), { name }),
  deleteSession: (sessionId: string) => requestOk("DELETE", sessionUrl(sessionId)),
  closeSession: (sessionId: string) => requestJson<OperationResult>("POST", sessionUrl(sessionId, "/close")),
  listRows: (sessionId: string, start: number, count: number) =>
    requestJson<TimelineRow[]>("GET", sessionUrl(sessionId, `/rows?start=${start}&count=${count}`)),
  getRow: (sessionId: string, index: number, full: boolean) =>
    requestJson<RowDetail>("GET", sessionUrl(sessionId, `/rows/${index}?full=${full}`)),
  getWorldOfSession: (sessionId: string) => requestJson<PlayedWorldInfo>("GET", sessionUrl(sessionId, "/world")),
  changeWorldTime: (sessionId: string, input: TimeControlInput) =>
    requestJson<PlayedWorldInfo>("POST", sessionUrl(sessionId, "/world/time"), input),
  getWorldGraph: (sessionId: string) => requestJson<WorldGraphInfo>("GET", sessionUrl(sessionId, "/world/graph")),
  getWorldState: async (sessionId: string, app: string) =>
    (await sendRequest("GET", sessionUrl(sessionId, `/world/state?app=${encodeURIComponent(app)}`))).text(),
  startWorldRun: (scenarioKey: string) =>
    requestJson<{ session_id: string }>("POST", scenarioUrl(scenarioKey, "/runs")),
  getVerdict: (sessionId: string, index: number) =>
    requestJson<SessionVerdict>("GET", sessionUrl(sessionId, `/rows/${index}/verdict`)),
  noteRow: (sessionId: string, index: number, text: string) =>
    requestJson<OperationResult>("POST", sessionUrl(sessionId, `/rows/${index}/note`), { text } satisfies NoteInput),
  getBriefing: (sessionId: string, turnId: string | null) =>
    requestJson<Briefing>(
      "GET",
      sessionUrl(sessionId, `/briefing${turnId ? `?turn_id=${encodeURIComponent(turnId)}` : ""}`),
    ),
  /** As text, because JSON.parse would change numbers. */
  getRequest: async (sessionId: string, turnId: string) =>
    (await sendRequest("GET", turnUrl(sessionId, turnId, "/request"))).text(),
  getState: async (sessionId: string) => (await sendRequest("GET", sessionUrl(sessionId, "/state"))).text(),
  getStateNeeds: (sessionId: string) => requestJson<StateNeeds>("GET", sessionUrl(sessionId, "/state/needs")),
  editState: (sessionId: string, changes: string) =>
    requestOk("POST", sessionUrl(sessionId, "/state"), { changes } satisfies StateEdit),
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
  getToolCall: (sessionId: string, requestId: string) =>
    requestJson<PendingToolCall>("GET", toolCallUrl(sessionId, requestId)),
  respondAsTool: (sessionId: string, requestId: string, response: ToolResponseInput) =>
    requestOk("POST", toolCallUrl(sessionId, requestId, "/response"), response),
  answerConfirmation: (sessionId: string, confirmation: ConfirmationInput) =>
    requestOk("POST", sessionUrl(sessionId, "/consent"), confirmation),
  answerRequest: (sessionId: string, requestId: string, answer: PauseAnswerInput) =>
    requestOk("POST", sessionUrl(sessionId, `/requests/${encodeURIComponent(requestId)}/answer`), answer),
  cancelCall: (sessionId: string, callId: string) =>
    requestOk("POST", sessionUrl(sessionId, `/calls/${encodeURIComponent(callId)}/cancel`)),
  stopRun: (sessionId: string) => requestOk("POST", sessionUrl(sessionId, "/stop")),
  requestSuggestion: (sessionId: string, turnId: string) =>
    requestJson<Suggestion>("POST", turnUrl(sessionId, turnId, "/suggestion")),
  runOwnModel: (sessionId: string, turnId: string) => requestOk("POST", turnUrl(sessionId, turnId, "/own-model")),
  getEnvironment: (sessionId: string) => requestJson<EnvironmentInfo>("GET", sessionUrl(sessionId, "/environment")),
  switchRule: (sessionId: string, input: RuleSwitchInput) =>
    requestJson<EnvironmentInfo>("POST", sessionUrl(sessionId, "/environment/rules"), input),
  switchTool: (sessionId: string, input: ToolSwitchInput) =>
    requestJson<EnvironmentInfo>("POST", sessionUrl(sessionId, "/environment/tools"), input),
  switchProfile: (sessionId: string, input: ProfileSwitchInput) =>
    requestJson<EnvironmentInfo>("POST", sessionUrl(sessionId, "/environment/profile"), input),
  addFault: (sessionId: string, input: FaultInput) =>
    requestJson<EnvironmentInfo>("POST", sessionUrl(sessionId, "/environment/faults"), input),
  replaceFault: (sessionId: string, faultId: string, input: FaultInput) =>
    requestJson<EnvironmentInfo>("PUT", faultUrl(sessionId, faultId), input),
  removeFault: (sessionId: string, faultId: string) =>
    requestJson<EnvironmentInfo>("DELETE", faultUrl(sessionId, faultId)),
  exportSession: (sessionId: string, input: ExportRequest) =>
    requestJson<ExportResult>("POST", sessionUrl(sessionId, "/export"), input),
  previewExport: (sessionId: string, input: ExportRequest) =>
    requestJson<ExportPreview>("POST", sessionUrl(sessionId, "/export/preview"), input),
  timeTravel: (sessionId: string, input: TimeTravelRequest) =>
    requestJson<OperationResult>("POST", sessionUrl(sessionId, "/time-travel"), input),
  planTimeTravel: (sessionId: string, input: TimeTravelRequest) =>
    requestJson<TimeTravelPlan>("POST", sessionUrl(sessionId, "/time-travel/plan"), input),
  getTimeTravelProgress: (sessionId: string) =>
    requestJson<TimeTravelProgress>("GET", sessionUrl(sessionId, "/time-travel")),
  getDecision: (sessionId: string, turnId: string) =>
    requestJson<Suggestion>("GET", turnUrl(sessionId, turnId, "/decision")),
  listPlayers: (sessionId: string) => requestJson<PlayerOption[]>("GET", sessionUrl(sessionId, "/players")),
  choosePlayer: (sessionId: string, player: string) => requestOk("PUT", sessionUrl(sessionId, "/player"), { player }),
  listScenarios: () => requestJson<ScenarioSummary[]>("GET", "/api/scenarios"),
  getScenario: (scenarioKey: string, answer: boolean) =>
    requestJson<ScenarioInfo>("GET", scenarioUrl(scenarioKey, formatAnswer(answer))),
  getFindings: (scenarioKey: string, answer: boolean) =>
    requestJson<ScenarioFindings>("GET", scenarioUrl(scenarioKey, `/findings${formatAnswer(answer)}`)),
  getEvent: (scenarioKey: string, index: number, answer: boolean) =>
    requestJson<EventDetail>("GET", scenarioUrl(scenarioKey, `/events/${index}${formatAnswer(answer)}`)),
  saveAnnotation: (scenarioKey: string, patch: AnnotationPatch) =>
    requestJson<AnnotationInfo>("PATCH", scenarioUrl(scenarioKey, "/annotation"), patch),
  getAppState: async (scenarioKey: string, app: string) =>
    (await sendRequest("GET", scenarioUrl(scenarioKey, `/state?app=${encodeURIComponent(app)}`))).text(),
  checkScenario: (scenarioKey: string) => requestJson<ScenarioCheck>("POST", scenarioUrl(scenarioKey, "/check")),
  listBenches: () => requestJson<BenchEntry[]>("GET", "/api/benches"),
  getBench: (benchKey: string, generation: number, after: number) =>
    requestJson<BenchInfo>("GET", benchUrl(benchKey, `?generation=${generation}&after=${after}`)),
  pauseBench: (benchKey: string, paused: boolean) =>
    requestJson<BenchInfo>("POST", benchUrl(benchKey, "/pause"), { paused }),
  repeatBenchRun: (benchKey: string, runId: string) =>
    requestJson<BenchInfo>("POST", benchRunUrl(benchKey, runId, "/repeat")),
  getBenchRun: (benchKey: string, runId: string, attempt: string, afterSeq: number) =>
    requestJson<BenchRunDetail>("GET", benchRunUrl(benchKey, runId, `?attempt=${attempt}&after_seq=${afterSeq}`)),
  listBenchRunRows: (benchKey: string, runId: string, start: number, count: number) =>
    requestJson<TimelineRow[]>("GET", benchRunUrl(benchKey, runId, `/rows?start=${start}&count=${count}`)),
  getBenchRunRow: (benchKey: string, runId: string, index: number, full: boolean) =>
    requestJson<RowDetail>("GET", benchRunUrl(benchKey, runId, `/rows/${index}?full=${full}`)),
  getBenchRunVerdict: (benchKey: string, runId: string, index: number) =>
    requestJson<SessionVerdict>("GET", benchRunUrl(benchKey, runId, `/rows/${index}/verdict`)),
  /** The page of a run that has ended. */
  benchReportUrl: (benchKey: string, report: string) =>
    benchUrl(benchKey, `/report?report=${encodeURIComponent(report)}`),
  listEvalFiles: () => requestJson<EvalFileSummary[]>("GET", "/api/evals"),
  getEvalFile: (fileKey: string) => requestJson<EvalFileInfo>("GET", evalUrl(fileKey)),
  getEvalCase: (fileKey: string, caseKey: string) => requestJson<EvalCaseDetail>("GET", evalCaseUrl(fileKey, caseKey)),
  listEvalRows: (fileKey: string, caseKey: string, start: number, count: number) =>
    requestJson<TimelineRow[]>("GET", evalCaseUrl(fileKey, caseKey, `/rows?start=${start}&count=${count}`)),
  getEvalRow: (fileKey: string, caseKey: string, index: number, full: boolean) =>
    requestJson<RowDetail>("GET", evalCaseUrl(fileKey, caseKey, `/rows/${index}?full=${full}`)),
  checkEvalCase: (fileKey: string, caseKey: string) =>
    requestJson<EvalCaseDetail>("POST", evalCaseUrl(fileKey, caseKey, "/check")),
  compareEvalCase: (fileKey: string, caseKey: string, other: { file_key: string; case_key: string }) =>
    requestJson<CaseCheckInfo>("POST", evalCaseUrl(fileKey, caseKey, "/compare"), other),
  renameEvalCase: (fileKey: string, caseKey: string, evalId: string) =>
    requestJson<EvalEditResult>("PATCH", evalCaseUrl(fileKey, caseKey), { eval_id: evalId }),
  duplicateEvalCase: (fileKey: string, caseKey: string) =>
    requestJson<EvalEditResult>("POST", evalCaseUrl(fileKey, caseKey, "/duplicate")),
  moveEvalCase: (fileKey: string, caseKey: string, afterKey: string | null) =>
    requestJson<EvalEditResult>("POST", evalCaseUrl(fileKey, caseKey, "/move"), { after_key: afterKey }),
  deleteEvalCase: (fileKey: string, caseKey: string, fingerprint: string) =>
    requestJson<EvalEditResult>("POST", evalCaseUrl(fileKey, caseKey, "/delete"), { fingerprint }),
  correctEvalCase: (fileKey: string, caseKey: string, correction: CaseCorrectionInput) =>
    requestJson<EvalEditResult>("POST", evalCaseUrl(fileKey, caseKey, "/correct"), correction),
  convertEvalFile: (fileKey: string) => requestJson<EvalConversionResult>("POST", evalUrl(fileKey, "/convert")),
  undoEvalEdit: (fileKey: string) => requestJson<EvalEditResult>("POST", evalUrl(fileKey, "/undo")),
  redoEvalEdit: (fileKey: string) => requestJson<EvalEditResult>("POST", evalUrl(fileKey, "/redo")),
  judgeWorld: (scenarioKey: string, answer: boolean) =>
    requestJson<SessionVerdict>("POST", scenarioUrl(scenarioKey, `/world/verdict${formatAnswer(answer)}`)),
};

/** The message of anything that was thrown. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
