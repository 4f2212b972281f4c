import { useId, useState } from "react";
import { api } from "../api/client";
import type { AnnotationInfo, AnnotationPatch } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatUtcTime } from "../ui/format";
import { useAction } from "../ui/useAction";
import { formatDecision } from "./ScenariosPage";

const DECISIONS = ["valid", "invalid", "needs_review"] as const;
type Decision = (typeof DECISIONS)[number];

/** Edits a reviewer's annotation, which is written into the scenario's file. */
export function AnnotationDialog({
  scenarioKey,
  path,
  annotation,
  onSaved,
  onClose,
}: {
  scenarioKey: string;
  path: string;
  annotation: AnnotationInfo;
  onSaved: (annotation: AnnotationInfo) => void;
  onClose: () => void;
}) {
  const [decision, setDecision] = useState(annotation.validation_decision);
  const [comment, setComment] = useState(annotation.comment);
  const [annotator, setAnnotator] = useState(annotation.annotator);
  const { isBusy, error, run } = useAction();
  const id = useId();
  const validDecision = DECISIONS.find((option) => option === decision) ?? null;
  const save = () =>
    run(async () => {
      const patch: AnnotationPatch = { validation_decision: validDecision, comment, annotator };
      onSaved(await api.saveAnnotation(scenarioKey, patch));
      onClose();
    });
  return (
    <Dialog
      title="Annotation"
      onClose={onClose}
      footer={
        <button
          type="button"
          className="button primary"
          disabled={isBusy || !annotation.editable}
          onClick={() => void save()}
        >
          Save to the file
        </button>
      }
    >
      {annotation.editable ? (
        <p className="quiet">
          Written into <code>{path}</code>
          {annotation.date ? `, last on ${formatUtcTime(annotation.date)}` : ""}.
        </p>
      ) : (
        <p className="quiet">
          <code>{path}</code> holds several scenarios with this id. Give this one an id of its own to annotate it.
        </p>
      )}
      <label className="sc-field" htmlFor={`${id}-decision`}>
        Decision
        <select
          id={`${id}-decision`}
          className="input"
          value={decision}
          onChange={(event) => setDecision(event.target.value as Decision)}
        >
          {validDecision || !decision ? (
            <option value="">none yet</option>
          ) : (
            <option value={decision}>{decision}</option>
          )}
          {DECISIONS.map((option) => (
            <option key={option} value={option}>
              {formatDecision(option)}
            </option>
          ))}
        </select>
      </label>
      <label className="sc-field" htmlFor={`${id}-comment`}>
        Comment
        <textarea
          id={`${id}-comment`}
          className="input"
          rows={4}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
      </label>
      <label className="sc-field" htmlFor={`${id}-annotator`}>
        Annotator
        <input
          id={`${id}-annotator`}
          className="input"
          value={annotator}
          onChange={(event) => setAnnotator(event.target.value)}
        />
      </label>
      {error ? <ErrorAlert title={error.message} /> : null}
    </Dialog>
  );
}
