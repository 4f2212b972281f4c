import { useEffect, useRef, useState } from "react";
import { getErrorMessage } from "../api/client";
import type { FilePart } from "../api/types";
import { readFiles, writeFiles } from "../state/fileStore";

/** The files that are attached to the unsent message of a session; the browser keeps them across a reload. */
export function useAttachments(sessionId: string) {
  const [files, setFiles] = useState<FilePart[]>([]);
  /** Why the files would not survive a reload; empty if they do. */
  const [problem, setProblem] = useState("");
  /** The files as they are now: several can be read, sent and removed at the same time. */
  const latest = useRef<FilePart[]>([]);
  const show = (next: FilePart[]) => {
    latest.current = next;
    setFiles(next);
  };
  const store = (next: FilePart[]) =>
    writeFiles(sessionId, next).then(
      () => setProblem(""),
      (error: unknown) => setProblem(getErrorMessage(error)),
    );
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are read once for each session
  useEffect(() => {
    let isCancelled = false;
    readFiles(sessionId).then(
      (stored) => {
        if (isCancelled) return;
        const attached = latest.current;
        show([...stored, ...attached]);
        // What was attached before this was read has replaced it in the storage.
        if (stored.length && attached.length) void store(latest.current);
      },
      (error: unknown) => setProblem(getErrorMessage(error)),
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId]);
  const changeFiles = (change: (before: FilePart[]) => FilePart[]) => {
    show(change(latest.current));
    void store(latest.current);
  };
  return { files, changeFiles, problem };
}
