import type { TimelineRow } from "../api/types";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";
import { useTimeTravel } from "./timeTravelContext";
import { canGoBackTo } from "./undoneRows";

/** What a person can do with the point of the session that a row is at. */
export function TimeTravelMenu({ row }: { row: TimelineRow }) {
  const timeTravel = useTimeTravel();
  if (!timeTravel || !canGoBackTo(row)) return null;
  const { session, isBusy, start } = timeTravel;
  const { rewind_problem: rewindProblem, fork_problem: forkProblem } = session.time_travel;
  const isMessage = row.kind === "user";
  const what = isMessage ? "message" : "decision";
  const place = `row ${row.index + 1}`;
  return (
    <Menu
      isFloating
      className="button plain small icon-only"
      title="Go back, fork, edit"
      label={
        <>
          <Icon name="more" />
          <span className="sr-only">Actions of {place}</span>
        </>
      }
    >
      {(close) => {
        const run = (action: "go_back" | "fork", isEdit: boolean) => () => {
          close();
          start({ action, row, isEdit });
        };
        return (
          <>
            <MenuItem
              disabled={isBusy || rewindProblem !== ""}
              note={rewindProblem || "In this session; what followed stays visible, and redo brings it back"}
              onClick={run("go_back", false)}
            >
              {isMessage ? "Go back to before this message" : "Go back to here"}
            </MenuItem>
            <MenuItem
              disabled={isBusy || rewindProblem !== ""}
              note={rewindProblem ? "" : `Goes back, with the ${what} in the composer`}
              onClick={run("go_back", true)}
            >
              Edit and continue
            </MenuItem>
            <MenuItem
              disabled={isBusy || forkProblem !== ""}
              note={forkProblem || "A new session that continues from here; this one stays as it is"}
              onClick={run("fork", false)}
            >
              Fork here
            </MenuItem>
            <MenuItem
              disabled={isBusy || forkProblem !== ""}
              note={forkProblem ? "" : `A fork, with the ${what} in the composer`}
              onClick={run("fork", true)}
            >
              Edit in a fork
            </MenuItem>
          </>
        );
      }}
    </Menu>
  );
}
