import type { SessionLink, TimeTravelInfo } from "../api/types";
import { formatSessionPath, route } from "../state/route";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";

/** Where a session was forked from, and its own forks; nothing for a session without either. */
export function ForkMenu({ past }: { past: TimeTravelInfo }) {
  const { forked_from: source, forks } = past;
  if (!source && forks.length === 0) return null;
  const label = forks.length ? formatCount(forks.length, "fork") : "Fork";
  const item = (link: SessionLink, note: string, close: () => void) => (
    <MenuItem
      key={link.session_id}
      note={note}
      onClick={() => {
        close();
        route.navigate(formatSessionPath(link.session_id));
      }}
    >
      {link.name}
    </MenuItem>
  );
  return (
    <Menu
      className="button plain small fork-menu"
      title={source ? `Forked from ${source.name}` : "The forks of this session"}
      label={
        <>
          <Icon name="fork" />
          <span className="header-label">{label}</span>
        </>
      }
    >
      {(close) => (
        <>
          {source ? item(source, "This session was forked from it", close) : null}
          {forks.map((fork) => item(fork, "A fork of this session", close))}
        </>
      )}
    </Menu>
  );
}
