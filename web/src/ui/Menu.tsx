import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** A button that opens a list of actions, above the button where there is no room below. */
export function Menu({
  label,
  children,
  className = "button",
  placement = "",
  title,
}: {
  label: ReactNode;
  children: (close: () => void) => ReactNode;
  className?: string;
  placement?: "" | "end" | "up" | "end up";
  title?: string;
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
    if (open && items.current) setRaised(items.current.getBoundingClientRect().bottom > window.innerHeight);
    else setRaised(false);
  }, [open]);
  useEffect(() => {
    if (!open) return;
    const closeOutside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const handleKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") close();
      else if (moveFocus(items.current, event.key)) event.preventDefault();
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("keydown", handleKey);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("keydown", handleKey);
    };
  }, [open, close]);
  return (
    <div className="menu" ref={root}>
      <button
        ref={button}
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        title={title}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open ? (
        <div ref={items} className={`menu-list ${placement} ${isRaised ? "up" : ""}`} role="menu">
          {children(close)}
        </div>
      ) : null}
    </div>
  );
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
