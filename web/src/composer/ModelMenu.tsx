import { api } from "../api/client";
import type { SessionShape, Suggestion } from "../api/types";
import type { useAction } from "../ui/action";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";

/** The agent's own model: it suggests a step, or takes the turn. */
export function ModelMenu({
  session,
  turnId,
  model,
  thinking,
  onSuggestion,
  onAnswer,
}: {
  session: SessionShape;
  turnId: string;
  model: string;
  thinking: ReturnType<typeof useAction>;
  onSuggestion: () => (found: Suggestion) => void;
  onAnswer: () => void;
}) {
  const suggest = async () => {
    const take = onSuggestion();
    take(await api.suggestion(session.session_id, turnId));
  };
  const answer = async () => {
    onAnswer();
    await api.ownModel(session.session_id, turnId);
  };
  return (
    <Menu
      place="end"
      className="button icon-only"
      title={`Ask ${model}`}
      label={
        <>
          {thinking.busy ? <span className="spinner" /> : <Icon name="spark" />}
          <span className="sr-only">Ask the agent's own model</span>
        </>
      }
    >
      {(close) => (
        <>
          <MenuItem
            note={`Fills the form with what ${model} would do; you edit or send it.`}
            disabled={thinking.busy}
            onClick={() => {
              close();
              void thinking.run(suggest);
            }}
          >
            Suggest the next step
          </MenuItem>
          <MenuItem
            note="This turn only; it is marked as the model's."
            disabled={thinking.busy}
            onClick={() => {
              close();
              void thinking.run(answer);
            }}
          >
            Let the model answer
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
