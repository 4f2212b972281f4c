import { useEffect, useSyncExternalStore } from "react";
import { useStoredState } from "../state/storedState";

export type Theme = "light" | "dark";

const SYSTEM_DARK = window.matchMedia("(prefers-color-scheme: dark)");

function isSystemDark(): boolean {
  return SYSTEM_DARK.matches;
}

function subscribeSystemTheme(onChange: () => void): () => void {
  SYSTEM_DARK.addEventListener("change", onChange);
  return () => SYSTEM_DARK.removeEventListener("change", onChange);
}

/** Light or dark: the user's choice, or the system's setting. */
export function useTheme(): [Theme, () => void] {
  const [chosenTheme, setChosenTheme] = useStoredState<Theme | null>("theme", null);
  const system = useSyncExternalStore(subscribeSystemTheme, isSystemDark, isSystemDark);
  const theme: Theme = chosenTheme ?? (system ? "dark" : "light");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, () => setChosenTheme(theme === "dark" ? "light" : "dark")];
}
