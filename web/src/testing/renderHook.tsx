import { renderToStaticMarkup } from "react-dom/server";

/**
 * Runs a hook in a component and returns its value. `update` may call setters: React renders the component again, and
 * the value after that is returned. Effects do not run, as on a server.
 */
export function renderHook<T>(hook: () => T, update?: (value: T) => void): T {
  const values: T[] = [];
  function Probe() {
    const value = hook();
    values.push(value);
    if (values.length === 1) update?.(value);
    return null;
  }
  renderToStaticMarkup(<Probe />);
  return values.at(-1) as T;
}
