import { useEffect, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { ExportFormat, ExportPreview, ExportRequest, ExportResult, SessionRecord } from "../api/types";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { useAction } from "../ui/useAction";
import { buildCriteria, type CriteriaDraft, createCriteriaDraft, findCriteriaProblem } from "./criteria";

/** An export of a session: the format and the file that are chosen, what would be written, and what was written. */
export function useExport(session: SessionRecord) {
  const { server } = useObservable(app);
  const formats = server?.export_formats ?? [];
  const [chosenName, setChosenName] = useState<ExportFormat["name"] | null>(null);
  const format = formats.find((option) => option.name === chosenName) ?? formats[0];
  /** The file that was chosen; null for the one that the agent's config names. */
  const [path, setPath] = useState<string | null>(null);
  /** What is in the field, if that is not the file as the server has resolved it. */
  const [typedPath, setTypedPath] = useState<string | null>(null);
  const [includesRejected, setIncludesRejected] = useState(false);
  const [replaces, setReplaces] = useState(false);
  const [result, setResult] = useState<ExportResult | null>(null);
  /** The criteria that are written too; null to leave them alone. */
  const [criteria, setCriteria] = useState<CriteriaDraft | null>(null);
  /** Whether secrets are removed; null for what the format does by itself. */
  const [redacts, setRedacts] = useState<boolean | null>(null);
  const choices = { includesRejected, replaces, redacts };
  const { preview, previewError, isLoading } = useExportPreview(session.session_id, format?.name, path, choices);
  const { isBusy, error, run, clearError } = useAction();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field shows the resolved file, unless it was edited since
  useEffect(() => setTypedPath((typed) => (typed?.trim() === path ? null : typed)), [preview]);

  const choosePath = (chosen: string | null) => {
    setPath(chosen);
    clearError();
  };
  const chooseDefaultPath = () => {
    setTypedPath(null);
    choosePath(null);
  };
  const write = (overrides: Partial<ExportRequest> = {}) =>
    run(async () => {
      if (!format) return;
      const criteriaInput = criteria && preview?.criteria_path ? { criteria: buildCriteria(criteria) } : {};
      const input = buildInput(format.name, typedPath?.trim() || path, choices, { ...criteriaInput, ...overrides });
      setResult(await api.exportSession(session.session_id, input));
      void app.refresh();
    });
  return {
    formats,
    format,
    chooseFormat: (name: ExportFormat["name"]) => {
      setChosenName(name);
      setReplaces(false);
      setRedacts(null);
      chooseDefaultPath();
    },
    isDefaultPath: path === null && typedPath === null,
    canUseDefaultPath: path !== null,
    chooseDefaultPath,
    /** The file as the field shows it. */
    shownPath: typedPath ?? (previewError && path ? path : (preview?.path ?? "")),
    typePath: setTypedPath,
    /** Chooses the typed file, if it is another one. */
    choosePath: (typed: string) => {
      if (typed.trim() && typed.trim() !== (path ?? preview?.path)) choosePath(typed.trim());
    },
    includesRejected,
    setIncludesRejected,
    setRedacts,
    replaces,
    chooseReplaces: (chosen: boolean) => {
      setReplaces(chosen);
      clearError();
    },
    criteria,
    openCriteria: () => setCriteria(createCriteriaDraft(preview?.criteria)),
    setCriteria,
    hasCriteriaProblem: criteria !== null && findCriteriaProblem(criteria) !== "",
    preview,
    previewError,
    /** Whether what is chosen is not shown yet: what is above the button would move it while it is pressed. */
    isLoading,
    write,
    isBusy,
    error,
    result,
  };
}

function buildInput(
  format: ExportFormat["name"],
  path: string | null,
  { includesRejected, replaces, redacts }: ExportChoices,
  overrides: Partial<ExportRequest> = {},
): ExportRequest {
  return {
    format,
    path: replaces ? null : path,
    again: false,
    force: false,
    replace: replaces,
    replaces: null,
    // The preview shows what is left out.
    finished_only: true,
    include_rejected: includesRejected,
    redact: redacts,
    criteria: null,
    eval_id_style: "iso",
    ...overrides,
  };
}

interface ExportChoices {
  includesRejected: boolean;
  /** Whether an earlier export is replaced, rather than kept beside this one. */
  replaces: boolean;
  redacts: boolean | null;
}

/** What the export would write now; null until the server has answered. With an error, the last one stays. */
function useExportPreview(
  sessionId: string,
  format: ExportFormat["name"] | undefined,
  path: string | null,
  { includesRejected, replaces, redacts }: ExportChoices,
) {
  const [preview, setPreview] = useState<ExportPreview | null>(null);
  const [previewError, setPreviewError] = useState("");
  // A file is typed and not chosen: who presses Tab in its field must be able to press Enter at once.
  const choice = `${format} ${includesRejected} ${replaces} ${redacts}`;
  const [shownChoice, setShownChoice] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the choice is made of the others
  useEffect(() => {
    if (!format) return;
    let isCancelled = false;
    api.previewExport(sessionId, buildInput(format, path, { includesRejected, replaces, redacts })).then(
      (answer) => {
        if (isCancelled) return;
        setPreview(answer);
        setPreviewError("");
        setShownChoice(choice);
      },
      (error: unknown) => {
        if (isCancelled) return;
        setPreviewError(getErrorMessage(error));
        setShownChoice(choice);
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, format, path, includesRejected, replaces, redacts]);
  return { preview, previewError, isLoading: shownChoice !== choice };
}
