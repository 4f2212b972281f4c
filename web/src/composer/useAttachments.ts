import { useEffect, useRef, useState } from "react";
import { getErrorMessage } from "../api/client";
import type { FilePart } from "../api/types";
import { readFiles, writeFiles } from "../state/fileStore";

/** The files that are attached to the unsent message of a session; the browser keeps them across a reload. */
export function useAttachments(sessionId: string) {
  const [files, setFiles] = useState<FilePart[]>([]);
  /** Why the files would not survive a reload; empty if they do. */
  const [problem, setProblem] = useState("");
  const wasChanged = useRef(false);
  useEffect(() => {
    readFiles(sessionId).then(
      // What was attached in the meantime counts more than what was stored.
      (stored) => {
        if (!wasChanged.current) setFiles(stored);
      },
      (error: unknown) => setProblem(getErrorMessage(error)),
    );
  }, [sessionId]);
  const changeFiles = (next: FilePart[]) => {
    wasChanged.current = true;
    setFiles(next);
    writeFiles(sessionId, next).then(
      () => setProblem(""),
      (error: unknown) => setProblem(getErrorMessage(error)),
    );
  };
  return { files, changeFiles, problem };
}
