import { useState } from "react";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { COMMANDS, formatCommand, REDO_KEY, SEND_KEY, UNDO_KEY, useCommand } from "../ui/keyboard";
import { useTheme } from "../ui/useTheme";

const SHORTCUTS: [string, string][] = [
  [SEND_KEY, "Execute, or send the text"],
  [formatCommand(COMMANDS.switchMode), "Switch between Call a Tool and Send Final Response"],
  ["/", "In an empty field: find a tool; twice, type a slash"],
  ["Esc", "Go back one step; nothing is lost"],
  [formatCommand(COMMANDS.find.toUpperCase()), "Find in the timeline"],
  [formatCommand(COMMANDS.density.toUpperCase()), "Compact rows, or rows with their results"],
  ["N", "On a row that Tab moved to: write a note"],
  [formatCommand(COMMANDS.panel.toUpperCase()), "Show or hide what the model reads"],
  [UNDO_KEY, "Outside of fields: undo the last decision of the model"],
  [REDO_KEY, "Outside of fields: redo it"],
  [formatCommand(COMMANDS.help), "This list"],
];

/** The buttons at the upper right of every page: theme and help. */
export function ThemeAndHelpButtons() {
  const [theme, switchTheme] = useTheme();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useCommand(COMMANDS.help, () => setHelpOpen(true));
  return (
    <>
      <button
        type="button"
        className="button plain icon-only"
        title={theme === "dark" ? "Light theme" : "Dark theme"}
        aria-label={theme === "dark" ? "Light theme" : "Dark theme"}
        onClick={switchTheme}
      >
        <Icon name={theme === "dark" ? "sun" : "moon"} />
      </button>
      <button
        type="button"
        className="button plain icon-only"
        title={`Help (${formatCommand(COMMANDS.help)})`}
        aria-label="Help"
        onClick={() => setHelpOpen(true)}
      >
        <Icon name="help" />
      </button>
      {isHelpOpen ? (
        <Dialog title="You are the model" onClose={() => setHelpOpen(false)}>
          <p>
            The agent runs for real: its tools, its state, its callbacks. Only its model is you. Read on the left what
            the model would read, act on the right, and see in the middle what happened. A finished session becomes a
            golden trace that <code>adk eval</code> runs.
          </p>
          <table className="keys">
            <tbody>
              {SHORTCUTS.map(([key, what]) => (
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
