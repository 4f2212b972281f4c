import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";

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
  useLayoutEffect(() => {
    if (open && items.current) setRaised(items.current.getBoundingClientRect().bottom > window.innerHeight);
    else setRaised(false);
  }, [open]);
  useEffect(() => {
    if (!open) return;
    const closeOutside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key === "Escape") setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("keydown", closeOnEscape);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("keydown", closeOnEscape);
    };
  }, [open]);
  return (
    <div className="menu" ref={root}>
      <button
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
          {children(() => setOpen(false))}
        </div>
      ) : null}
    </div>
  );
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
