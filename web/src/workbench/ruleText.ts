/** What the rules panel says about a rule. */

import { parse, stringify } from "../json/lossless";

/** An action as a line of a rules file: `error: {"code":503,...}`. */
export function formatEffect(action: string): string {
  const parsed = parse(action);
  if (!(parsed instanceof Map)) return action;
  return [...parsed].map(([key, value]) => `${key}: ${stringify(value)}`).join("\n");
}

/** In which profiles a rule is used. */
export function formatProfiles(profiles: string[]): string {
  return `only in the ${profiles.length === 1 ? "profile" : "profiles"} ${profiles.join(", ")}`;
}
