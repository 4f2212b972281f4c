import { useEffect, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { PlayerOption, SessionDetail } from "../api/types";
import { Icon, type IconName } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";

/** What the header calls who plays the models. */
export function describeCurrentPlayer(player: string): { icon: IconName; label: string } {
  if (player === "human") return { icon: "user", label: "You play" };
  return player === "real" ? { icon: "spark", label: "Model plays" } : { icon: "list", label: "Replay plays" };
}

/** Who plays the models of the session, and who is to play them from now on. */
export function PlayerMenu({ session, onError }: { session: SessionDetail; onError: (message: string) => void }) {
  const { player, player_problem: problem } = session.time_travel;
  const { icon, label } = describeCurrentPlayer(player);
  return (
    <Menu
      className="button player-menu"
      disabled={problem !== ""}
      title={problem || "Who plays the agent's model from now on"}
      label={
        <>
          <Icon name={icon} />
          <span className="header-label">{label}</span>
          <Icon name="down" />
        </>
      }
    >
      {(close) => (
        <PlayerItems
          session={session}
          onError={onError}
          onChoose={(option) => {
            close();
            api
              .choosePlayer(session.session_id, option.player)
              .catch((error: unknown) => onError(getErrorMessage(error)));
          }}
        />
      )}
    </Menu>
  );
}

function PlayerItems({
  session,
  onChoose,
  onError,
}: {
  session: SessionDetail;
  onChoose: (option: PlayerOption) => void;
  onError: (message: string) => void;
}) {
  const [options, setOptions] = useState<PlayerOption[] | null>(null);
  const { session_id: sessionId } = session;
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded when the menu opens
  useEffect(() => {
    api.listPlayers(sessionId).then(setOptions, (error: unknown) => onError(getErrorMessage(error)));
  }, [sessionId]);
  if (!options) return <p className="quiet player-loading">Loading…</p>;
  const recordings = options.filter((option) => option.kind === "recording");
  const item = (option: PlayerOption) => (
    <MenuItem
      key={option.player}
      note={option.player === session.time_travel.player ? `Plays now. ${option.note}` : option.note}
      onClick={() => onChoose(option)}
    >
      {option.label}
    </MenuItem>
  );
  return (
    <>
      {options.filter((option) => option.kind !== "recording").map(item)}
      {recordings.length ? <p className="menu-heading">Replay a recording</p> : null}
      {recordings.map(item)}
    </>
  );
}
