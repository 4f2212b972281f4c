import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

/** A button that opens a list of actions, above the button where there is no room below. */
export function Menu({
  label,
  children,
  className = "button",
  placement = "",
  title,
  disabled = false,
  isFloating = false,
}: {
  label: ReactNode;
  children: (close: () => void) => ReactNode;
  className?: string;
  placement?: "" | "end" | "up" | "end up";
  title?: string;
  disabled?: boolean;
  /** Whether the list is above everything else on the page, as it must be in a box that scrolls. */
  isFloating?: boolean;
}) {
  const [open, setOpen] = useState(false);
  const [isRaised, setRaised] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const items = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => {
    setOpen(false);
    button.current?.focus();
  }, []);
  useLayoutEffect(() => {
    if (open && isFloating) placeList(items.current, button.current);
    else if (open && items.current) setRaised(items.current.getBoundingClientRect().bottom > window.innerHeight);
    else setRaised(false);
  }, [open, isFloating]);
  useEffect(() => {
    if (!open) return;
    const closeOutside = (event: Event) => {
      const target = event.target as Node;
      if (!root.current?.contains(target) && !items.current?.contains(target)) setOpen(false);
    };
    const handleKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") close();
      else if (moveFocus(items.current, event.key)) event.preventDefault();
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("keydown", handleKey);
    if (isFloating) document.addEventListener("wheel", closeOutside);
    return () => {
      document.removeEventListener("wheel", closeOutside);
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("keydown", handleKey);
    };
  }, [open, close, isFloating]);
  return (
    <div className="menu" ref={root}>
      <button
        ref={button}
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        title={title}
        disabled={disabled}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open && isFloating
        ? createPortal(
            <div ref={items} className="menu-list floating" role="menu">
              {children(close)}
            </div>,
            document.body,
          )
        : null}
      {open && !isFloating ? (
        <div ref={items} className={`menu-list ${placement} ${isRaised ? "up" : ""}`} role="menu">
          {children(close)}
        </div>
      ) : null}
    </div>
  );
}

/** Places a floating list at the right edge of its button: below it, or above where there is no room. */
function placeList(list: HTMLElement | null, button: HTMLElement | null): void {
  if (!list || !button) return;
  const { right, top, bottom } = button.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  list.style.left = `${Math.max(4, right - width)}px`;
  list.style.top = `${bottom + height + 4 <= window.innerHeight ? bottom : Math.max(4, top - height - 8)}px`;
}

/** Moves the focus between the items of an open menu; returns whether the key does that. */
function moveFocus(list: HTMLElement | null, key: string): boolean {
  const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  const items = [...(list?.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)") ?? [])];
  if (step === 0 || items.length === 0) return false;
  const position = items.indexOf(document.activeElement as HTMLElement);
  const next = position < 0 ? (step > 0 ? 0 : -1) : (position + step) % items.length;
  items.at(next)?.focus();
  return true;
}

export function MenuItem({
  onClick,
  children,
  note,
  disabled = false,
}: {
  onClick: () => void;
  children: ReactNode;
  note?: string;
  disabled?: boolean;
}) {
  return (
    <button type="button" role="menuitem" className="menu-item" onClick={onClick} disabled={disabled}>
      <span>{children}</span>
      {note ? <small>{note}</small> : null}
    </button>
  );
}
