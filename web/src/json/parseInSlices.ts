/** Parses long JSON without blocking the page: in slices, between which the browser can draw and respond. */

import { JsonReader } from "./parse";
import type { Json } from "./value";

/** How many characters are parsed before the browser gets a turn: a few milliseconds on a slow machine. */
export const SLICE_LENGTH = 50_000;

/** Parses JSON in slices; rejects with a `JsonError`, or with the signal's reason once it is aborted. */
export async function parseInSlices(
  text: string,
  signal: AbortSignal,
  pause: () => Promise<void> = yieldToBrowser,
): Promise<Json> {
  const reader = new JsonReader(text);
  while (!reader.read(SLICE_LENGTH)) {
    await pause();
    signal.throwIfAborted();
  }
  return reader.getValue();
}

/** Resolves in a new task. A timer would wait 4 ms each time, and a promise alone would not let the browser draw. */
export function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
