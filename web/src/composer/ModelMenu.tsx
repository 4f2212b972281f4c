import { api } from "../api/client";
import type { SessionRecord, Suggestion } from "../api/types";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";
import type { useAction } from "../ui/useAction";

/** The agent's own model: it suggests a step, or takes the turn. */
export function ModelMenu({
  session,
  turnId,
  model,
  request,
  onSuggestion,
  onAnswer,
}: {
  session: SessionRecord;
  turnId: string;
  model: string;
  request: ReturnType<typeof useAction>;
  onSuggestion: () => (suggestion: Suggestion) => void;
  onAnswer: () => void;
}) {
  const suggest = async () => {
    const applySuggestion = onSuggestion();
    applySuggestion(await api.requestSuggestion(session.session_id, turnId));
  };
  const runModel = async () => {
    onAnswer();
    await api.runOwnModel(session.session_id, turnId);
  };
  return (
    <Menu
      placement="end"
      className="button icon-only"
      title={`Ask ${model}`}
      label={
        <>
          {request.isBusy ? <span className="spinner" /> : <Icon name="spark" />}
          <span className="sr-only">Ask the agent's own model</span>
        </>
      }
    >
      {(close) => (
        <>
          <MenuItem
            note={`Fills the form with what ${model} would do; you edit or send it.`}
            disabled={request.isBusy}
            onClick={() => {
              close();
              void request.run(suggest);
            }}
          >
            Suggest the next step
          </MenuItem>
          <MenuItem
            note="This turn only; it is marked as the model's."
            disabled={request.isBusy}
            onClick={() => {
              close();
              void request.run(runModel);
            }}
          >
            Let the model answer
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
