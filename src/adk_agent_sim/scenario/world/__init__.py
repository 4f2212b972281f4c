"""The running world of a scenario: clock, events, logging and notifications."""
