import { useEffect, useState } from "react";
import type { EventLine } from "../api/types";
import type { Placed, ToPlace } from "./layout";

/** Where the events stand, found in a worker; null until it has answered. */
export function useLayout(events: EventLine[]): { placed: Placed | null; trouble: string } {
  const [placed, setPlaced] = useState<Placed | null>(null);
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (message: MessageEvent<Placed>) => setPlaced(message.data);
    worker.onerror = (error) => setTrouble(`The graph could not be laid out: ${error.message || "the worker failed"}.`);
    const edges = events.flatMap((one) => one.after.map((from): [number, number] => [from, one.place]));
    worker.postMessage({ places: events.map((one) => one.place), edges } satisfies ToPlace);
    return () => worker.terminate();
  }, [events]);
  return { placed, trouble };
}
