import type { components } from "./schema";

type Schemas = components["schemas"];

export type AgentInfo = Schemas["AgentInfo"];
export type OperationResult = Schemas["OperationResult"];
export type AnnotationInfo = Schemas["AnnotationInfo"];
export type AnnotationPatch = Schemas["AnnotationPatch"];
export type Briefing = Schemas["Briefing"];
export type InstructionPart = Schemas["InstructionPart"];
export type CallInput = Schemas["CallInput"];
export type CheckInput = Schemas["CheckInput"];
export type ConfirmationInput = Schemas["ConfirmationInput"];
export type DecisionInput = Schemas["DecisionInput"];
export type DisplayValue = Schemas["DisplayValue"];
export type EnvironmentInfo = Schemas["EnvironmentInfo"];
export type ErrorBody = Schemas["ErrorBody"];
export type EventDetail = Schemas["EventDetail"];
export type EventSummary = Schemas["EventSummary"];
export type CriteriaInfo = Schemas["CriteriaInfo"];
export type EvalCriteria = Schemas["EvalCriteria"];
export type StateEdit = Schemas["StateEdit"];
export type StateNeeds = Schemas["StateNeeds"];
export type ExportFormat = Schemas["ExportFormat"];
export type ExportRequest = Schemas["ExportRequest"];
export type ExportPreview = Schemas["ExportPreview"];
export type ExportEntry = Schemas["ExportEntry"];
export type ExportResult = Schemas["ExportResult"];
export type JudgedEvent = Schemas["JudgedEvent"];
export type JudgedTurn = Schemas["JudgedTurn"];
export type FaultInfo = Schemas["FaultInfo"];
export type FaultInput = Schemas["FaultInput"];
export type FilePart = Schemas["FilePart"];
export type FollowRequest = Schemas["FollowRequest"];
export type MediaFile = Schemas["MediaFile"];
export type NoteInput = Schemas["NoteInput"];
export type PauseAnswerInput = Schemas["PauseAnswerInput"];
export type PendingConfirmation = Schemas["PendingConfirmation"];
export type PendingRequest = Schemas["PendingRequest"];
export type PendingPause = Schemas["PendingPause"];
export type PendingToolCall = Schemas["PendingToolCall"];
export type ProfileSwitchInput = Schemas["ProfileSwitchInput"];
export type QueueItem = Schemas["QueueItem"];
export type QueuePage = Schemas["QueuePage"];
export type RequestInfo = Schemas["RequestInfo"];
export type TimelineRow = Schemas["TimelineRow"];
export type RowDetail = Schemas["RowDetail"];
export type RuleInfo = Schemas["RuleInfo"];
export type RuleSwitchInput = Schemas["RuleSwitchInput"];
export type ScenarioCheck = Schemas["ScenarioCheck"];
export type ScenarioFindings = Schemas["ScenarioFindings"];
export type ScenarioInfo = Schemas["ScenarioInfo"];
export type ScenarioSummary = Schemas["ScenarioSummary"];
export type ServerInfo = Schemas["ServerInfo"];
export type SessionDetail = Schemas["SessionDetail"];
export type SessionRecord = Schemas["SessionRecord"];
export type SessionListUpdate = Schemas["SessionListUpdate"];
export type SessionPage = Schemas["SessionPage"];
export type SessionStatus = Schemas["SessionStatus"];
export type SessionUpdate = Schemas["SessionUpdate"];
export type SessionVerdict = Schemas["SessionVerdict"];
export type ShownAction = Schemas["ShownAction"];
export type Suggestion = Schemas["Suggestion"];
export type TimeControlInput = Schemas["TimeControlInput"];
export type ToolInfo = Schemas["ToolInfo"];
export type ToolResponseInput = Schemas["ToolResponseInput"];
export type ToolSwitchInput = Schemas["ToolSwitchInput"];
export type UserMessage = Schemas["UserMessage"];
export type WorldGraphEvent = Schemas["WorldGraphEvent"];
export type WorldGraphInfo = Schemas["WorldGraphInfo"];

export type BenchEntry = Schemas["BenchEntry"];
export type BenchInfo = Schemas["BenchInfo"];
export type ActiveRun = Schemas["ActiveRun"];
export type BenchRunDetail = Schemas["BenchRunDetail"];
export type BenchResult = Schemas["BenchResult"];

export type CaseCheckInfo = Schemas["CaseCheckInfo"];
export type CaseCorrectionInput = Schemas["CaseCorrectionInput"];
export type CaseFieldInfo = Schemas["CaseFieldInfo"];
export type ComparedTurnInfo = Schemas["ComparedTurnInfo"];
export type EvalCaseDetail = Schemas["EvalCaseDetail"];
export type EvalCaseInfo = Schemas["EvalCaseInfo"];
export type EvalConversionResult = Schemas["EvalConversionResult"];
export type EvalEditResult = Schemas["EvalEditResult"];
export type EvalFileInfo = Schemas["EvalFileInfo"];
export type EvalFileSummary = Schemas["EvalFileSummary"];
export type MetricScore = Schemas["MetricScore"];

export type LiveUpdate =
  | Schemas["SessionUpdate"]
  | Schemas["SessionListUpdate"]
  | Schemas["SessionGone"]
  | Schemas["AgentsUpdate"];
/** A problem of a value, found by the server or by the form itself. Only the server knows of several calls. */
export type FieldProblem = Pick<Schemas["FieldProblem"], "path" | "message"> &
  Partial<Pick<Schemas["FieldProblem"], "call_index">>;
export type PlayedWorldInfo = Schemas["PlayedWorldInfo"];
export type PlayerOption = Schemas["PlayerOption"];
export type SessionLink = Schemas["SessionLink"];
export type TimeTravelInfo = Schemas["TimeTravelInfo"];
export type TimeTravelRequest = Schemas["TimeTravelRequest"];
export type TimeTravelPlan = Schemas["TimeTravelPlan"];
export type TimeTravelProgress = Schemas["TimeTravelProgress"];
