import type { components } from "./schema";

type Schemas = components["schemas"];

export type AgentInfo = Schemas["AgentInfo"];
export type AnnotationInfo = Schemas["AnnotationInfo"];
export type AnnotationPatch = Schemas["AnnotationPatch"];
export type Briefing = Schemas["Briefing"];
export type InstructionPart = Schemas["InstructionPart"];
export type CallInput = Schemas["CallInput"];
export type CheckInput = Schemas["CheckInput"];
export type ConsentInput = Schemas["ConsentInput"];
export type DecisionInput = Schemas["DecisionInput"];
export type DisplayValue = Schemas["DisplayValue"];
export type EnvironmentInfo = Schemas["EnvironmentInfo"];
export type ErrorBody = Schemas["ErrorBody"];
export type EventDetail = Schemas["EventDetail"];
export type EventSummary = Schemas["EventSummary"];
export type ExportFormatInfo = Schemas["ExportFormatInfo"];
export type ExportInput = Schemas["ExportInput"];
export type ExportPreview = Schemas["ExportPreview"];
export type ExportResult = Schemas["ExportResult"];
export type FaultInfo = Schemas["FaultInfo"];
export type FaultInput = Schemas["FaultInput"];
export type FilePart = Schemas["FilePart"];
export type FollowRequest = Schemas["FollowRequest"];
export type MediaFile = Schemas["MediaFile"];
export type PendingConfirmation = Schemas["PendingConfirmation"];
export type PendingInfo = Schemas["PendingInfo"];
export type QueueItem = Schemas["QueueItem"];
export type QueuePage = Schemas["QueuePage"];
export type RequestInfo = Schemas["RequestInfo"];
export type Row = Schemas["Row"];
export type RowDetail = Schemas["RowDetail"];
export type RuleInfo = Schemas["RuleInfo"];
export type RuleSwitchInput = Schemas["RuleSwitchInput"];
export type ScenarioInfo = Schemas["ScenarioInfo"];
export type ScenarioSummary = Schemas["ScenarioSummary"];
export type ServerInfo = Schemas["ServerInfo"];
export type SessionDetail = Schemas["SessionDetail"];
export type SessionInfo = Schemas["SessionInfo"];
export type SessionListUpdate = Schemas["SessionListUpdate"];
export type SessionPage = Schemas["SessionPage"];
export type SessionStatus = Schemas["SessionStatus"];
export type SessionUpdate = Schemas["SessionUpdate"];
export type Suggestion = Schemas["Suggestion"];
export type TimeControlInput = Schemas["TimeControlInput"];
export type ToolInfo = Schemas["ToolInfo"];
export type UserMessage = Schemas["UserMessage"];
export type WorldAction = Schemas["WorldAction"];
export type WorldActionResult = Schemas["WorldActionResult"];
export type WorldCallInput = Schemas["WorldCallInput"];
export type WorldInfo = Schemas["WorldInfo"];
export type WorldTool = Schemas["WorldTool"];

export type LiveUpdate = Schemas["SessionUpdate"] | Schemas["SessionListUpdate"] | Schemas["SessionGone"];
/** A problem of a value, found by the server or by the form itself. Only the server knows of several calls. */
export type FieldProblem = Pick<Schemas["FieldProblem"], "path" | "message"> &
  Partial<Pick<Schemas["FieldProblem"], "call_index">>;
