import { type ReactNode, useEffect, useRef, useState } from "react";

/** A button that opens a list of actions. */
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
  const root = useRef<HTMLDivElement>(null);
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
        <div className={`menu-list ${placement}`} role="menu">
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
