import { type CSSProperties, useMemo, useState } from "react";
import { api } from "../api/client";
import type { CaseFieldInfo, EvalCaseDetail, EvalEditResult, EvalFileInfo, TimelineRow } from "../api/types";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { formatEvalPath, route } from "../state/route";
import { useStoredState } from "../state/storedState";
import { RowSourceProvider } from "../timeline/rowSource";
import { Timeline } from "../timeline/Timeline";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount } from "../ui/format";
import { Splitter } from "../ui/Splitter";
import { useAction } from "../ui/useAction";
import { CaseMenu } from "./CaseMenu";
import { CheckPane } from "./CheckPane";
import { CorrectPane } from "./CorrectPane";
import { type CaseDraft, changeField, removeSavedValues } from "./caseDraft";
import { createCaseStore } from "./caseTimeline";
import { EditButtons } from "./EditButtons";
import { usePolledFetch } from "./usePolledFetch";
import "./evals.css";

const TABS = ["Check", "Correct"] as const;
type Tab = (typeof TABS)[number];

const DRIFTED_MARK = { label: "drifted", title: "The replay is not as recorded here" };

interface CaseAndFile {
  detail: EvalCaseDetail;
  file: EvalFileInfo;
}

/** One case: its timeline, what a replay finds, and its values to correct. */
export default function EvalCasePage({ fileKey, caseKey }: { fileKey: string; caseKey: string }) {
  const load = async (): Promise<CaseAndFile> => {
    const [detail, file] = await Promise.all([api.getEvalCase(fileKey, caseKey), api.getEvalFile(fileKey)]);
    return { detail, file };
  };
  const { data, error, replace, reload } = usePolledFetch(load);
  return (
    <PageFrame title="Evals" fillsWindow hasOwnHeading>
      {error ? (
        <ErrorAlert title={error}>
          <button type="button" className="button small" onClick={() => route.navigate(formatEvalPath(fileKey))}>
            All cases
          </button>
        </ErrorAlert>
      ) : null}
      {data ? (
        <CaseView {...data} onDetail={(detail) => replace({ ...data, detail })} onReload={reload} />
      ) : error ? null : (
        <p className="quiet ev-loading">Loading…</p>
      )}
    </PageFrame>
  );
}

function CaseView({
  detail,
  file,
  onDetail,
  onReload,
}: CaseAndFile & { onDetail: (detail: EvalCaseDetail) => void; onReload: () => void }) {
  const [tab, setTab] = useStoredState<Tab>("eval-tab", "Check");
  const [width, setWidth] = useStoredState("eval-right", 440);
  const replay = useAction();
  const corrections = useCorrections(file, detail, onReload);
  const checkCase = () => {
    setTab("Check");
    void replay.run(async () => onDetail(await api.checkEvalCase(file.key, detail.case.key)));
  };
  const handleEdit = (result: EvalEditResult) => {
    const { key } = detail.case;
    const isHere = result.file.cases.some((evalCase) => evalCase.key === key);
    if (result.case_key && result.case_key !== key) route.navigate(formatEvalPath(file.key, result.case_key), !isHere);
    else if (isHere) onReload();
    else route.navigate(formatEvalPath(file.key));
  };
  return (
    <>
      <div className="ev-head">
        <div className="grow">
          <h1>
            <Link to={formatEvalPath(file.key)}>{file.path.split("/").at(-1)}</Link> /{" "}
            <span>{detail.case.eval_id}</span>
          </h1>
          <p className="quiet">
            {formatCount(detail.case.turn_count, "user turn")} · {formatCount(detail.case.call_count, "call")}
            {detail.case.app_name ? ` · ${detail.case.app_name}` : ""}
          </p>
        </div>
        <EditButtons file={file} onEdited={handleEdit} />
        <button
          type="button"
          className="button small primary"
          title={
            file.has_agent
              ? "Call the real tools of this case again, without a model, and compare"
              : "No agent was named: start with --agent DIR"
          }
          disabled={!file.has_agent || replay.isBusy}
          onClick={checkCase}
        >
          Replay
        </button>
        {file.is_editable ? (
          <CaseMenu
            fileKey={file.key}
            evalCase={detail.case}
            neighbours={file.cases}
            hasDraft={corrections.draft !== null}
            onEdited={handleEdit}
          />
        ) : null}
      </div>
      <div className="ev-panes" style={{ "--right": `${width}px` } as CSSProperties}>
        <CaseTimeline fileKey={file.key} detail={detail} />
        <Splitter label="Width of the check" side="right" min={300} max={760} width={width} onWidth={setWidth} />
        <section className="ev-side" aria-label={tab}>
          <div className="tabs" role="tablist" aria-label="About the case">
            {TABS.map((name) => (
              <button
                key={name}
                type="button"
                role="tab"
                aria-selected={tab === name}
                className="tab"
                onClick={() => setTab(name)}
              >
                {name}
                {name === "Correct" && corrections.draft ? <span className="badge">not saved</span> : null}
              </button>
            ))}
          </div>
          {tab === "Check" ? (
            <CheckPane
              key={detail.case.key}
              fileKey={file.key}
              detail={detail}
              hasAgent={file.has_agent}
              isBusy={replay.isBusy}
              error={replay.error?.message ?? ""}
            />
          ) : (
            <CorrectPane detail={detail} {...corrections} />
          )}
        </section>
      </div>
    </>
  );
}

function CaseTimeline({ fileKey, detail }: { fileKey: string; detail: EvalCaseDetail }) {
  const { key, fingerprint } = detail.case;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another content has another fingerprint
  const store = useMemo(() => createCaseStore(fileKey, detail), [fileKey, key, fingerprint]);
  const { check } = detail;
  const source = useMemo(() => {
    const changed = new Set(check?.differences.map((difference) => difference.call_id).filter(Boolean));
    return {
      getRow: (_: string, index: number, full: boolean) => api.getEvalRow(fileKey, key, index, full),
      getVerdict: api.getVerdict,
      takesNotes: false,
      controlsCalls: false,
      findMark: (row: TimelineRow) => (changed.has(row.call_id) ? DRIFTED_MARK : null),
    };
  }, [fileKey, key, check]);
  if (detail.case.problem || !store.session) {
    return (
      <div className="empty ev-main">
        <p>This case has no timeline: {detail.case.problem}.</p>
      </div>
    );
  }
  return (
    <RowSourceProvider value={source}>
      <div className="ev-main">
        <Timeline key={store.sessionId} store={store} session={store.session} />
      </div>
    </RowSourceProvider>
  );
}

/** The corrections of a case: they survive a reload, and what is typed while others are saved. */
function useCorrections(file: EvalFileInfo, detail: EvalCaseDetail, onSaved: () => void) {
  const { key, fingerprint } = detail.case;
  const [draft, setDraft] = useStoredState<CaseDraft | null>(`eval-draft:${file.path}:${detail.case.eval_id}`, null);
  const { isBusy, error, run, clearError } = useAction();
  /** What a save has made of the case, until the page has loaded it. */
  const [saving, setSaving] = useState<{ before: string; after: string } | null>(null);
  const save = (keepBoth: boolean) => {
    const sent = draft;
    if (!sent || isBusy) return;
    void run(async () => {
      const values = Object.entries(sent.values).map(([path, value]) => ({ path, value }));
      const correction = { fingerprint: sent.fingerprint, values, keep_both: keepBoth };
      const result = await api.correctEvalCase(file.key, key, correction);
      const saved = result.file.cases.find((evalCase) => evalCase.key === result.case_key);
      setSaving(saved ? { before: fingerprint, after: saved.fingerprint } : null);
      setDraft((now) => removeSavedValues(now, sent, saved?.fingerprint ?? fingerprint));
      if (result.is_copy) route.navigate(formatEvalPath(file.key, result.case_key));
      else onSaved();
    });
  };
  const isSaved = saving?.before === fingerprint && saving.after === draft?.fingerprint;
  return {
    draft,
    isBusy,
    error: error?.message ?? "",
    // While a save is under way, the file may be newer than the draft.
    hasConflict: draft !== null && !isBusy && draft.fingerprint !== fingerprint && !isSaved,
    onChange: (field: CaseFieldInfo, value: string) => {
      clearError();
      setDraft((now) => changeField(now, fingerprint, field, value));
    },
    onSave: () => save(false),
    onSaveCopy: () => save(true),
    onDiscard: () => {
      clearError();
      setDraft(null);
    },
  };
}
