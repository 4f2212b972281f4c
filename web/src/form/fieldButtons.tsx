/** Small buttons that fields share. */

import { type Json, stringify } from "../json/lossless";
import { toPointer } from "../json/path";
import { withText, withValue } from "./draft";
import { buildId, type FieldPosition, type FormContextValue, useFormContext } from "./formContext";

interface ButtonProps {
  label: string;
  accessibleName: string;
  isPressed?: boolean;
  /** Whether Tab skips the button, because a key in the field does the same. */
  skipsTab?: boolean;
  /** Whether it is visible only on hover or focus of the field. */
  isFaint?: boolean;
  disabled?: boolean;
  onClick: () => void;
}

export function FieldButton({ label, accessibleName, isPressed, skipsTab, isFaint, disabled, onClick }: ButtonProps) {
  const context = useFormContext();
  return (
    <button
      type="button"
      className={isFaint === true ? "sf-button sf-faint" : "sf-button"}
      title={accessibleName}
      // A visible word is part of the name, so that a person who speaks it is understood.
      aria-label={/[a-z]/.test(label) ? `${label}: ${accessibleName}` : accessibleName}
      disabled={context.disabled || disabled === true}
      onClick={onClick}
      {...(isPressed === undefined ? {} : { "aria-pressed": isPressed })}
      {...(skipsTab === true ? { tabIndex: -1 } : {})}
    >
      {label}
    </button>
  );
}

export function getAccessibleName(position: FieldPosition): string {
  return position.accessibleName ?? String(position.path.at(-1) ?? "value");
}

export function renderClearButton(context: FormContextValue, position: FieldPosition, skipsTab = false) {
  function clear(): void {
    context.update((draft) => withValue(draft, position.path, undefined));
    context.focusAfterRender(buildId(context, position.path));
  }
  return (
    <FieldButton
      label="clear"
      accessibleName={`Clear ${getAccessibleName(position)}`}
      skipsTab={skipsTab}
      onClick={clear}
    />
  );
}

export function renderNullButton(context: FormContextValue, position: FieldPosition, value: Json | undefined) {
  const isNull = value === null && context.draft.texts[toPointer(position.path)] === undefined;
  function toggle(): void {
    const next = isNull && position.slot === "property" ? undefined : null;
    context.update((draft) => withValue(draft, position.path, next, position.order));
  }
  return (
    <FieldButton
      label="null"
      accessibleName={`Set ${getAccessibleName(position)} to null`}
      isPressed={isNull}
      onClick={toggle}
    />
  );
}

/** Switches one field to its JSON editor. */
export function renderJsonButton(context: FormContextValue, position: FieldPosition, value: Json) {
  function toJson(): void {
    context.update((draft) => withText(draft, position.path, stringify(value, 2), value, position.order));
    context.focusAfterRender(buildId(context, position.path));
  }
  return <FieldButton label="JSON" accessibleName={`Edit ${getAccessibleName(position)} as JSON`} onClick={toJson} />;
}
