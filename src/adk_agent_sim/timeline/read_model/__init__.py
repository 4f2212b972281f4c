"""The read model of sessions: summaries for lists, and rows for the timeline, folded from the events.

    event --> SessionSummary.with_event   status, name, pending requests, counts    lists, queue, header, CLI
          --> SessionRows.apply           one row per fact that people care about   the timeline in the browser

Both are folded when events are appended, and committed in the same transaction, so reading them never reads a log.
"""
