import type { components } from "./schema";

type Shapes = components["schemas"];

export type AgentShape = Shapes["AgentShape"];
export type Briefing = Shapes["Briefing"];
export type CallShape = Shapes["CallShape"];
export type ConfirmationShape = Shapes["ConfirmationShape"];
export type Consent = Shapes["Consent"];
export type Decision = Shapes["Decision"];
export type EnvironmentShape = Shapes["EnvironmentShape"];
export type ExportOrder = Shapes["ExportOrder"];
export type ExportResult = Shapes["ExportResult"];
export type FilePart = Shapes["FilePart"];
export type FaultOrder = Shapes["FaultOrder"];
export type Follow = Shapes["Follow"];
export type Medium = Shapes["Medium"];
export type News = Shapes["SessionNews"] | Shapes["ListNews"] | Shapes["Gone"];
/** Where a value does not fit: the server's check and the form's own say it alike. */
export type Problem = Pick<Shapes["ProblemShape"], "path" | "message"> & { call?: number | null };
export type Refusal = Shapes["Refusal"];
export type RequestShape = Shapes["RequestShape"];
export type Row = Shapes["Row"];
export type RowDetail = Shapes["RowDetail"];
export type RuleSwitch = Shapes["RuleSwitch"];
export type ServerShape = Shapes["ServerShape"];
export type SessionNews = Shapes["SessionNews"];
export type SessionShape = Shapes["SessionShape"];
export type Shown = Shapes["Shown"];
export type Suggestion = Shapes["Suggestion"];
export type ToolShape = Shapes["ToolShape"];
export type UserMessage = Shapes["UserMessage"];
export type ValueToCheck = Shapes["ValueToCheck"];
