import { type GraphInput, layoutGraph } from "./layout";

/** Computes the layout off the main thread. */
self.onmessage = (message: MessageEvent<GraphInput>) => self.postMessage(layoutGraph(message.data));
