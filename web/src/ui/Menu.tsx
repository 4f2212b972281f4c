import { type ReactNode, useEffect, useRef, useState } from "react";

/** A button that opens a short list of things to do. */
export function Menu({
  label,
  children,
  className = "button",
  place = "",
  title,
}: {
  label: ReactNode;
  children: (close: () => void) => ReactNode;
  className?: string;
  place?: "" | "end" | "up" | "end up";
  title?: string;
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const leave = (event: KeyboardEvent) => {
      if (event.key === "Escape") setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", leave);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", leave);
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
        <div className={`menu-list ${place}`} role="menu">
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
