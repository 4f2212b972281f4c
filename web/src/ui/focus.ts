/** Where typed text goes: the first field of the composer, unless a person types elsewhere. */

const TEXT_FIELDS = "textarea, [contenteditable], input:not([type=radio], [type=checkbox], [type=file], [type=hidden])";
const FIELDS = "input:not([type=hidden], [type=file], [tabindex='-1'], :disabled), textarea:not(:disabled), select";
const FRAME = ".composer .composer-frame";

/** Whether a person types text into this element. */
export function isTextField(element: unknown): element is HTMLInputElement | HTMLTextAreaElement {
  return element instanceof HTMLElement && element.matches(TEXT_FIELDS);
}

/** Whether a dialog covers the page. */
export function isDialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

/** Whether a person types elsewhere, so that taking the focus would split what they type. */
export function isTypingOutside(frame: HTMLElement | null): boolean {
  const focused = document.activeElement;
  return (
    isDialogOpen() || ((isTextField(focused) || focused instanceof HTMLSelectElement) && !frame?.contains(focused))
  );
}

/** The first field of an editor; of radio buttons the chosen one. */
function findFirstField(frame: HTMLElement): HTMLElement | null {
  const first = frame.querySelector<HTMLElement>(`:is(.composer-body, .composer-foot) :is(${FIELDS})`);
  if (!(first instanceof HTMLInputElement) || first.type !== "radio") return first;
  return frame.querySelector<HTMLElement>(`input[name="${CSS.escape(first.name)}"]:checked`) ?? first;
}

/** Focuses a field with the cursor behind its text, so that typing continues it. */
function focusField(field: HTMLElement): void {
  if (field !== document.activeElement) field.focus();
  if (field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.type === "text")) {
    field.setSelectionRange(field.value.length, field.value.length);
  }
}

/** Focuses the first field. Without one, the frame itself: no key may press a button by accident. */
export function focusFirstField(frame: HTMLElement | null): void {
  if (!frame) return;
  const field = findFirstField(frame);
  if (field) focusField(field);
  else frame.focus({ preventScroll: true });
}

/** Types a text into the focused field, as a person would; returns whether it is a field of the frame that takes text. */
export function typeIntoFocused(frame: HTMLElement | null, text: string): boolean {
  const focused = document.activeElement;
  if (!frame?.contains(focused) || !isTextField(focused) || focused.type === "number") return false;
  return document.execCommand("insertText", false, text);
}

/** Remembers the texts of a frame's fields; the returned function returns what was typed behind one of them since. */
export function watchTyping(frame: HTMLElement | null): () => string {
  const fields = [...(frame?.querySelectorAll(TEXT_FIELDS) ?? [])].filter(isTextField);
  const texts = new Map(fields.map((field) => [field, field.value]));
  return () => {
    for (const [field, text] of texts) {
      if (field.value !== text && field.value.startsWith(text)) return field.value.slice(text.length);
    }
    return "";
  };
}

/** Focuses the composer if nothing has the focus, after what had it disappeared. */
export function focusComposerIfLost(): void {
  if (document.activeElement === document.body && !isDialogOpen()) {
    focusFirstField(document.querySelector<HTMLElement>(FRAME));
  }
}

/** Focuses the composer, wherever the focus is. */
export function focusComposer(): void {
  focusFirstField(document.querySelector<HTMLElement>(FRAME));
}

/** Types a text into the field with this id, as if it had been typed there; returns whether the field is there. */
export function typeInto(fieldId: string, text: string): boolean {
  const field = document.getElementById(fieldId);
  if (!field) return false;
  focusField(field);
  // The only way to insert text that keeps the field's undo history and tells React about it.
  document.execCommand("insertText", false, text);
  return true;
}

/** Focuses the element with this `data-shortcut`. */
export function focusShortcut(name: string): void {
  document.querySelector<HTMLElement>(`[data-shortcut="${name}"]`)?.focus();
}
