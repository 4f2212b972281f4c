import { useEffect, useState } from "react";
import { ApiError, api } from "../api/client";
import type { Briefing, SessionDetail } from "../api/types";
import { app } from "../state/app";
import { findModelTurn } from "../state/sessionStatus";

/** The briefing of the waiting turn's agent; the last one stays until the next is loaded. */
export function useBriefing(session: SessionDetail): Briefing | null {
  const [briefing, setBriefing] = useState<Briefing | null>(null);
  const turn = findModelTurn(session);
  const turnId = turn?.request_id ?? null;
  const { session_id: sessionId } = session;
  const agentName = turn?.agent_name ?? session.agent_name;
  const isFirstMessage = session.status === "new";
  const isLoaded = briefing !== null && !briefing.problem && !briefing.note;
  const isKnown = turnId !== null || session.agent_key !== "" || session.has_world || session.turn_count > 0;
  const isConnected = app.connection === "open";
  // biome-ignore lint/correctness/useExhaustiveDependencies: load again after a reconnect
  useEffect(() => {
    if (!turnId && !isFirstMessage && isLoaded) return;
    if (!isKnown) {
      setBriefing(
        buildEmptyBriefing(agentName, {
          note: "The agent runs in another process: its instruction is known from its first turn.",
        }),
      );
      return;
    }
    let isCancelled = false;
    api.getBriefing(sessionId, turnId).then(
      (loaded) => {
        if (!isCancelled) setBriefing(loaded);
      },
      (error: unknown) => {
        if (!isCancelled && error instanceof ApiError)
          setBriefing(buildEmptyBriefing(agentName, { problem: error.message }));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, agentName, turnId, isFirstMessage, isLoaded, isKnown, isConnected]);
  return briefing;
}

/** A briefing that could not be loaded, or that is not known, with the reason. */
function buildEmptyBriefing(agentName: string, reason: { problem: string } | { note: string }): Briefing {
  return {
    agent_name: agentName,
    instruction: "",
    instruction_parts: [],
    is_template: false,
    tools: [],
    input_schema: null,
    output_schema: null,
    model: "",
    problem: "",
    note: "",
    ...reason,
  };
}
