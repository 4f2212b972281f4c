import { type ReactNode, useEffect, useId, useRef } from "react";
import { focusComposerIfLost } from "./focus";
import { Icon } from "./Icon";

/** A modal dialog: Escape closes it, and the focus returns to where it was. */
export function Dialog({
  title,
  isWide = false,
  onClose,
  children,
  footer,
}: {
  title: string;
  /** Whether it takes the whole window. */
  isWide?: boolean;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    dialog.current?.showModal();
    // What had the focus before may be gone: the composer can change while a dialog is open.
    return () => void window.setTimeout(focusComposerIfLost);
  }, []);
  return (
    <dialog ref={dialog} className={`dialog${isWide ? " is-wide" : ""}`} aria-labelledby={heading} onClose={onClose}>
      <div className="dialog-head">
        <h2 id={heading} className="grow">
          {title}
        </h2>
        <button
          type="button"
          className="button plain icon-only"
          title="Close"
          aria-label="Close the dialog"
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      <div className="dialog-body scroll">{children}</div>
      {footer ? <div className="dialog-foot">{footer}</div> : null}
    </dialog>
  );
}
