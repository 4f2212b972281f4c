import { useEffect, useSyncExternalStore } from "react";
import { useKept } from "../state/kept";

export type Theme = "light" | "dark";

const DARK = window.matchMedia("(prefers-color-scheme: dark)");

function watchSystem(changed: () => void): () => void {
  DARK.addEventListener("change", changed);
  return () => DARK.removeEventListener("change", changed);
}

/** Light or dark: what the person chose, or what the system says. */
export function useTheme(): [Theme, () => void] {
  const [chosen, choose] = useKept<Theme | null>("theme", null);
  const system = useSyncExternalStore(watchSystem, () => DARK.matches);
  const theme: Theme = chosen ?? (system ? "dark" : "light");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, () => choose(theme === "dark" ? "light" : "dark")];
}
