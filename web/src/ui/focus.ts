import type { RefObject } from "react";

const FIELDS = "input:not([type=hidden], [tabindex='-1']), textarea, select";

/** Focus the first field inside if nothing has the focus, so that typing goes there. */
export function focusIfLost(box: HTMLElement | null): void {
  if (!box || document.activeElement !== document.body || document.querySelector("dialog[open]")) return;
  box.querySelector<HTMLElement>(`:is(.composer-body, .sf) :is(${FIELDS})`)?.focus({ preventScroll: true });
}

/** Focus the first field after the next render, or the primary button if there is none. */
export function focusFirst(box: RefObject<HTMLElement | null>, inside: string): void {
  window.setTimeout(() => {
    const field = box.current?.querySelector<HTMLElement>(`${inside} :is(${FIELDS})`);
    (field ?? box.current?.querySelector<HTMLElement>(".button.primary"))?.focus();
  });
}
