import type { EvalCaseInfo } from "../api/types";
import { Icon, type IconName } from "../ui/Icon";

type State = EvalCaseInfo["badge"]["state"];

const BADGES: Record<State, { label: string; icon: IconName; tone: string }> = {
  equal: { label: "equal", icon: "answer", tone: "is-ok" },
  drifted: { label: "drifted", icon: "error", tone: "is-problem" },
  not_replayable: { label: "not replayable", icon: "cancelled", tone: "" },
  not_checked: { label: "not replayed", icon: "help", tone: "" },
};

/** Whether a case still replays as recorded; the reason is its tooltip. */
export function CaseBadge({ badge, isBusy = false }: { badge: EvalCaseInfo["badge"]; isBusy?: boolean }) {
  if (isBusy) {
    return (
      <span className="pill">
        <span className="spinner" />
        replaying
      </span>
    );
  }
  const { label, icon, tone } = BADGES[badge.state];
  return (
    <span className={`pill ev-badge ${tone}`} title={badge.reason}>
      <Icon name={icon} />
      {label}
    </span>
  );
}
