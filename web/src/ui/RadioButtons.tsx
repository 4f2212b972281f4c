import { type KeyboardEvent, type ReactNode, useRef } from "react";

export interface RadioOption<T extends string> {
  value: T;
  label: ReactNode;
  disabled?: boolean;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The option that a key moves to, going round at the ends; undefined if the key does not move. */
export function findNextOption<T extends string>(
  options: readonly RadioOption<T>[],
  value: T,
  key: string,
): T | undefined {
  const step = STEPS[key];
  const enabled = options.filter((option) => !option.disabled);
  if (step === undefined || enabled.length === 0) return undefined;
  const position = enabled.findIndex((option) => option.value === value);
  return enabled[(position + step + enabled.length) % enabled.length]?.value;
}

/** Buttons of which one is chosen. They are one stop for Tab; the arrow keys move between them. */
export function RadioButtons<T extends string>({
  label,
  options,
  value,
  onChange,
  className = "segments",
  buttonClassName = "segment",
}: {
  label: string;
  options: readonly RadioOption<T>[];
  value: T;
  onChange: (value: T) => void;
  className?: string;
  buttonClassName?: string;
}) {
  const group = useRef<HTMLDivElement>(null);
  const moveChoice = (event: KeyboardEvent) => {
    const next = findNextOption(options, value, event.key);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    group.current?.querySelector<HTMLElement>(`[data-value="${CSS.escape(next)}"]`)?.focus();
    onChange(next);
  };
  return (
    <div ref={group} className={className} role="radiogroup" aria-label={label} onKeyDown={moveChoice}>
      {options.map((option) => (
        // biome-ignore lint/a11y/useSemanticElements: it is a button styled as a segment
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          data-value={option.value}
          tabIndex={option.value === value ? 0 : -1}
          className={buttonClassName}
          disabled={option.disabled}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
