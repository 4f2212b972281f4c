import { useState } from "react";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { SEND_KEY, useShortcuts } from "../ui/keys";
import { useTheme } from "../ui/theme";

const KEYS: [string, string][] = [
  [SEND_KEY, "Execute, or send what is typed"],
  ["/", "Find a tool"],
  ["c", "Call a Tool"],
  ["r", "Send Final Response"],
  ["f", "Find in the timeline"],
  ["b", "Show or hide the briefing"],
  ["Shift N", "New session"],
  ["?", "This list"],
];

/** What every page has at its upper right: the theme, and help. */
export function Tools() {
  const [theme, switchTheme] = useTheme();
  const [help, setHelp] = useState(false);
  useShortcuts({ "?": () => setHelp(true) });
  return (
    <>
      <button
        type="button"
        className="button plain icon-only"
        aria-label={theme === "dark" ? "Light theme" : "Dark theme"}
        onClick={switchTheme}
      >
        <Icon name={theme === "dark" ? "sun" : "moon"} />
      </button>
      <button type="button" className="button plain icon-only" aria-label="Help" onClick={() => setHelp(true)}>
        <Icon name="help" />
      </button>
      {help ? (
        <Dialog title="You are the model" onClose={() => setHelp(false)}>
          <p>
            The agent runs for real: its tools, its state, its callbacks. Only its model is you. Read on the left what
            the model would read, act on the right, and see in the middle what happened. A finished session becomes a
            golden trace that <code>adk eval</code> runs.
          </p>
          <table className="keys">
            <tbody>
              {KEYS.map(([key, what]) => (
                <tr key={key}>
                  <th scope="row">
                    <kbd>{key}</kbd>
                  </th>
                  <td>{what}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Dialog>
      ) : null}
    </>
  );
}
