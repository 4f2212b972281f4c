import { useEffect, useState } from "react";
import { api, words } from "../api/client";
import type { SessionShape } from "../api/types";
import { app } from "./app";
import { useWatched } from "./store";

/** All sessions, the newest first; read again when the server says that they changed. */
export function useSessions(): { sessions: SessionShape[] | null; trouble: string; again: () => void } {
  const { listVersion, connection } = useWatched(app);
  const [asked, ask] = useState(0);
  const [sessions, setSessions] = useState<SessionShape[] | null>(null);
  const [trouble, setTrouble] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these means that the list may be another
  useEffect(() => {
    let gone = false;
    api.sessions().then(
      (found) => {
        if (gone) return;
        setSessions(found);
        setTrouble("");
      },
      (error: unknown) => {
        if (!gone) setTrouble(words(error));
      },
    );
    return () => {
      gone = true;
    };
  }, [listVersion, asked, connection === "open"]);
  return { sessions, trouble, again: () => ask((before) => before + 1) };
}
