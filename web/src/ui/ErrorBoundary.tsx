import { Component, type ReactNode } from "react";
import { getErrorMessage } from "../api/client";
import { ErrorAlert } from "./ErrorAlert";

/** Shows an error that was thrown while rendering; the rest of the page stays. A new `at` renders again. */
export class ErrorBoundary extends Component<{ at: string; children: ReactNode }, { error: string; at: string }> {
  override state = { error: "", at: this.props.at };

  static getDerivedStateFromError(error: unknown) {
    return { error: getErrorMessage(error) };
  }

  static getDerivedStateFromProps(props: { at: string }, state: { error: string; at: string }) {
    return props.at === state.at ? null : { error: "", at: props.at };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <ErrorAlert title="This page cannot be displayed." details={this.state.error}>
        <button type="button" className="button small" onClick={() => location.reload()}>
          Reload the page
        </button>
      </ErrorAlert>
    );
  }
}
