import { type CSSProperties, useState } from "react";
import type { SessionRecord } from "../api/types";
import { SessionStartDialog } from "../sessionstart/SessionStartDialog";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { route } from "../state/route";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";
import { useNewSession } from "./useNewSession";

/** The agent of the session; opens a menu with new sessions of the agents, and the other pages. */
export function AgentMenu({ session, onError }: { session: SessionRecord; onError: (message: string) => void }) {
  const { server, pendingCount } = useObservable(app);
  const startSession = useNewSession(onError);
  const [isDialogOpen, setDialogOpen] = useState(false);
  const own = server?.agents.find((agent) => agent.key === session.agent_key);
  const pages = [
    { path: "/agents", label: "All agents" },
    { path: "/queue", label: pendingCount ? `Queue (${pendingCount})` : "Queue" },
    { path: "/sessions", label: "All sessions" },
    ...(server?.has_evals ? [{ path: "/evals", label: "Evals" }] : []),
  ];
  return (
    <div className="agent-frame" style={{ "--name-length": session.agent_label.length } as CSSProperties}>
      <Menu
        className="button plain agent-menu"
        label={
          <>
            <b title={session.agent_label}>{session.agent_label}</b>
            <Icon name="down" />
          </>
        }
      >
        {(close) => (
          <>
            {(server?.agents ?? []).map((agent) => (
              <MenuItem
                key={agent.key}
                note={agent.key === session.agent_key ? "New session" : "New session of this agent"}
                onClick={() => {
                  close();
                  void startSession(agent.key);
                }}
              >
                {agent.name}
              </MenuItem>
            ))}
            {own ? (
              <MenuItem
                note="State and user id"
                onClick={() => {
                  close();
                  setDialogOpen(true);
                }}
              >
                New session with…
              </MenuItem>
            ) : null}
            {pages.map(({ path, label }) => (
              <MenuItem
                key={path}
                onClick={() => {
                  close();
                  route.navigate(path);
                }}
              >
                {label}
              </MenuItem>
            ))}
          </>
        )}
      </Menu>
      {isDialogOpen && own ? (
        <SessionStartDialog
          agent={own}
          onStart={() => void startSession(own.key)}
          onClose={() => setDialogOpen(false)}
        />
      ) : null}
    </div>
  );
}
