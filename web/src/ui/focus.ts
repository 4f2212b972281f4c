import type { RefObject } from "react";

const FIELDS = "input:not([type=hidden], [tabindex='-1']), textarea, select";

/** Put the focus on the first field inside, if nothing has it: what is typed next belongs there. */
export function focusIfLost(box: HTMLElement | null): void {
  if (!box || document.activeElement !== document.body || document.querySelector("dialog[open]")) return;
  box.querySelector<HTMLElement>(`:is(.composer-body, .sf) :is(${FIELDS})`)?.focus({ preventScroll: true });
}

/** Put the focus on the first field of what is about to be drawn, or on the box's main button. */
export function focusFirst(box: RefObject<HTMLElement | null>, inside: string): void {
  window.setTimeout(() => {
    const field = box.current?.querySelector<HTMLElement>(`${inside} :is(${FIELDS})`);
    (field ?? box.current?.querySelector<HTMLElement>(".button.primary"))?.focus();
  });
}
