import { placed, type ToPlace } from "./layout";

/** Places a graph's events beside the page, which stays awake meanwhile. */
self.onmessage = (message: MessageEvent<ToPlace>) => self.postMessage(placed(message.data));
