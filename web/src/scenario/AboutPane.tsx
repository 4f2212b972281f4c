import type { ReactNode } from "react";
import type { EventSummary, ScenarioFindings, ScenarioInfo } from "../api/types";
import { Markdown } from "../markdown/Markdown";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatUtcTime } from "../ui/format";
import { formatCall } from "./eventKinds";

/** What the file says about the scenario besides its events, and what the linter says about the file. */
export function AboutPane({
  scenario,
  findings,
  findingsError,
  onEvent,
}: {
  scenario: ScenarioInfo;
  findings: ScenarioFindings | null;
  findingsError: string;
  onEvent: (index: number) => void;
}) {
  const start = scenario.start_time;
  const end = start === null || scenario.duration === null ? null : start + scenario.duration;
  const renderLink = (index: number | null) => <EventLink scenario={scenario} index={index} onEvent={onEvent} />;
  return (
    <section className="sc-main sc-about scroll" aria-label="About">
      <dl className="sc-facts">
        <dt>File</dt>
        <dd className="mono">{scenario.path}</dd>
        <dt>Start</dt>
        <dd>{start === null ? "not given" : formatUtcTime(start)}</dd>
        <dt>End</dt>
        <dd>{end === null ? "none" : formatUtcTime(end)}</dd>
        <dt>Seed</dt>
        <dd>{scenario.seed ?? "not given"}</dd>
        <dt>Tags</dt>
        <dd>{scenario.tags.join(", ") || "none"}</dd>
      </dl>
      <AboutSection title="Context">
        {scenario.context ? <Markdown text={scenario.context} /> : <p className="quiet">The file has no context.</p>}
      </AboutSection>
      <AboutSection title="Hints">
        {scenario.hints.length ? (
          <ul className="sc-notes">
            {scenario.hints.map((hint, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the hints of a file never change
              <li key={index}>
                <span className="sc-note-kind">{hint.kind}</span>
                <div>
                  <p>{hint.content}</p>
                  {renderLink(hint.event_index)}
                </div>
              </li>
            ))}
          </ul>
        ) : (
          <p className="quiet">The file has no hints.</p>
        )}
      </AboutSection>
      <AboutSection title="Lint findings">
        {findingsError ? <ErrorAlert title={findingsError} /> : null}
        {findings ? (
          <>
            <p className="quiet">{formatFindings(findings) || "No findings."}</p>
            <ul className="sc-notes">
              {findings.findings.map((finding) => (
                <li key={`${finding.line} ${finding.path} ${finding.code} ${finding.message}`}>
                  <span className={`sc-note-kind sc-${finding.severity}`}>{finding.severity}</span>
                  <div>
                    <p>
                      {finding.message}. <span className="quiet">{finding.advice}.</span>
                    </p>
                    <p className="quiet mono">
                      line {finding.line}, {finding.path}, {finding.code}
                    </p>
                    {renderLink(finding.event_index)}
                  </div>
                </li>
              ))}
            </ul>
          </>
        ) : findingsError ? null : (
          <p className="quiet">Checking…</p>
        )}
      </AboutSection>
    </section>
  );
}

/** The numbers of errors and warnings in one line; empty if there are none. */
export function formatFindings({
  error_count,
  warning_count,
}: Pick<ScenarioFindings, "error_count" | "warning_count">): string {
  return [
    error_count ? formatCount(error_count, "error") : "",
    warning_count ? formatCount(warning_count, "warning") : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function AboutSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function EventLink({
  scenario,
  index,
  onEvent,
}: {
  scenario: ScenarioInfo;
  index: number | null;
  onEvent: (index: number) => void;
}) {
  const event: EventSummary | undefined = scenario.events.find((event) => event.index === index);
  if (!event) return null;
  return (
    <button type="button" className="sc-link" onClick={() => onEvent(event.index)}>
      {formatCall(event)}
    </button>
  );
}
