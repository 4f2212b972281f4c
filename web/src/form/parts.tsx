/** Small buttons that fields share. */

import { type Json, stringify } from "../json/lossless";
import { pointer } from "../json/path";
import { withText, withValue } from "./draft";
import { idOf, type Place, type Scope, useScope } from "./scope";

interface ButtonProps {
  label: string;
  spoken: string;
  pressed?: boolean;
  /** Whether the same can be done with a key in the field, so that Tab passes the button by. */
  aside?: boolean;
  /** Whether it shows only while the field is pointed at or has the focus. */
  faint?: boolean;
  disabled?: boolean;
  onClick: () => void;
}

export function Button({ label, spoken, pressed, aside, faint, disabled, onClick }: ButtonProps) {
  const scope = useScope();
  return (
    <button
      type="button"
      className={faint === true ? "sf-button sf-faint" : "sf-button"}
      title={spoken}
      {...(/[a-z]/.test(label) ? {} : { "aria-label": spoken })}
      disabled={scope.disabled || disabled === true}
      onClick={onClick}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      {...(aside === true ? { tabIndex: -1 } : {})}
    >
      {label}
    </button>
  );
}

export function nameOf(place: Place): string {
  return place.spoken ?? String(place.path.at(-1) ?? "value");
}

export function clearButton(scope: Scope, place: Place, aside = false) {
  function clear(): void {
    scope.edit((draft) => withValue(draft, place.path, undefined));
    scope.focusNext(idOf(scope, place.path));
  }
  return <Button label="clear" spoken={`Clear ${nameOf(place)}`} aside={aside} onClick={clear} />;
}

export function nullButton(scope: Scope, place: Place, value: Json | undefined) {
  const isNull = value === null && scope.draft.texts[pointer(place.path)] === undefined;
  function toggle(): void {
    const next = isNull && place.slot === "property" ? undefined : null;
    scope.edit((draft) => withValue(draft, place.path, next, place.order));
  }
  return <Button label="null" spoken={`Set ${nameOf(place)} to null`} pressed={isNull} onClick={toggle} />;
}

/** Goes over to editing one part as JSON. */
export function asPart(scope: Scope, place: Place, value: Json) {
  function toJson(): void {
    scope.edit((draft) => withText(draft, place.path, stringify(value, 2), value, place.order));
    scope.focusNext(idOf(scope, place.path));
  }
  return <Button label="{ }" spoken={`Edit ${nameOf(place)} as JSON`} onClick={toJson} />;
}
