import { useEffect, useState } from "react";
import type { EventSummary } from "../api/types";
import type { GraphInput, GraphLayout } from "./layout";

/**
 * The layout of the graph, computed in a worker; null until it is done. It is computed again when events or dependencies
 * are added or removed, not when an event changes otherwise.
 */
export function useGraphLayout(events: EventSummary[]): { layout: GraphLayout | null; error: string } {
  const [layout, setLayout] = useState<GraphLayout | null>(null);
  const [error, setError] = useState("");
  const shape = events.map((event) => `${event.index}<${event.depends_on.join()}`).join(";");
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` is all that the layout depends on
  useEffect(() => {
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (message: MessageEvent<GraphLayout>) => setLayout(message.data);
    worker.onerror = (error) => setError(`The graph could not be laid out: ${error.message || "the worker failed"}.`);
    const edges = events.flatMap((event) => event.depends_on.map((from): [number, number] => [from, event.index]));
    worker.postMessage({ indexes: events.map((event) => event.index), edges } satisfies GraphInput);
    return () => worker.terminate();
  }, [shape]);
  return { layout, error };
}
