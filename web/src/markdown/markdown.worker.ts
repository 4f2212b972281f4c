import { parseMarkdown } from "./parseMarkdown";

/** Parses Markdown off the main thread. */
self.onmessage = (message: MessageEvent<string>) => self.postMessage(parseMarkdown(message.data));
