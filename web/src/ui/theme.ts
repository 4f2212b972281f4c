import { useEffect } from "react";
import { useKept } from "../state/kept";

export type Theme = "light" | "dark";

const DARK = window.matchMedia("(prefers-color-scheme: dark)");

/** Light or dark: what the person chose, or what the system says. */
export function useTheme(): [Theme, () => void] {
  const [chosen, choose] = useKept<Theme | null>("theme", null);
  const theme: Theme = chosen ?? (DARK.matches ? "dark" : "light");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, () => choose(theme === "dark" ? "light" : "dark")];
}
