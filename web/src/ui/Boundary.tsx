import { Component, type ReactNode } from "react";
import { words } from "../api/client";
import { Failure } from "./Failure";

/** What is broken inside is told, and the rest of the page stays. Another `at` tries again. */
export class Boundary extends Component<{ at: string; children: ReactNode }, { trouble: string; at: string }> {
  override state = { trouble: "", at: this.props.at };

  static getDerivedStateFromError(error: unknown) {
    return { trouble: words(error) };
  }

  static getDerivedStateFromProps(props: { at: string }, state: { trouble: string; at: string }) {
    return props.at === state.at ? null : { trouble: "", at: props.at };
  }

  override render() {
    if (!this.state.trouble) return this.props.children;
    return (
      <Failure title="This cannot be shown." details={this.state.trouble}>
        <button type="button" className="button small" onClick={() => location.reload()}>
          Reload the page
        </button>
      </Failure>
    );
  }
}
