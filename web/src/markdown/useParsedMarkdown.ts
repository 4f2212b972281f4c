import { useEffect, useState } from "react";
import type { MarkdownNode } from "./parseMarkdown";

/** Markdown as far as it is parsed; `failed` if the worker could not. */
export type ParsedMarkdown = { status: "reading" } | { status: "failed" } | { status: "parsed"; nodes: MarkdownNode[] };

const READING: ParsedMarkdown = { status: "reading" };
const FAILED: ParsedMarkdown = { status: "failed" };

const MAX_CACHED = 20;
/** Texts that were parsed before, so that a row that scrolls back into view has its height at once. */
const cachedResults = new Map<string, ParsedMarkdown>();

function cacheResult(text: string, result: ParsedMarkdown): void {
  cachedResults.set(text, result);
  const [oldest] = cachedResults.keys();
  if (cachedResults.size > MAX_CACHED && oldest !== undefined) cachedResults.delete(oldest);
}

/** Parses Markdown in a worker of its own, which ends with the component. */
export function useParsedMarkdown(text: string): ParsedMarkdown {
  const [latest, setLatest] = useState<{ text: string; result: ParsedMarkdown } | null>(null);
  useEffect(() => {
    if (cachedResults.has(text)) return;
    const worker = new Worker(new URL("./markdown.worker.ts", import.meta.url), { type: "module" });
    const finish = (result: ParsedMarkdown) => {
      worker.terminate();
      cacheResult(text, result);
      setLatest({ text, result });
    };
    worker.onmessage = (message: MessageEvent<MarkdownNode[]>) => finish({ status: "parsed", nodes: message.data });
    worker.onerror = () => finish(FAILED);
    worker.postMessage(text);
    return () => worker.terminate();
  }, [text]);
  return latest?.text === text ? latest.result : (cachedResults.get(text) ?? READING);
}
