"""What a trace says about its run: who played, which run it was, how it was disturbed, and what it failed with."""

from __future__ import annotations

from dataclasses import dataclass

from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.scenario.format.models import ExportedTrace, ExportedTraceSimulationMetadata


@dataclass(frozen=True, kw_only=True)
class RunMetadata:
    """The metadata of a run. What is None stays as the scenario has it."""

    agent_id: str | None = None
    """Who played: the name of an agent or of a player."""

    model_id: str | None = None
    """The model of the agent."""

    run_number: int | None = None
    """The number of the run, if a scenario is run several times."""

    exception: BaseException | None = None
    """What ended the run before its time; None if it ended as it should."""

    augmentation: AugmentationOptions | None = None
    """How the run was disturbed."""

    def apply_to_trace(self, trace: ExportedTrace) -> ExportedTrace:
        """Return a trace with this metadata."""
        if self.augmentation is not None:
            trace = self.augmentation.apply_to_trace(trace)
        metadata = trace.metadata
        definition = metadata.definition.model_copy(
            update={
                "run_number": metadata.definition.run_number if self.run_number is None else self.run_number,
                # A run that ended as it should must not keep the exception of the run from which its file comes.
                "has_exception": self.exception is not None,
                "exception_type": None if self.exception is None else type(self.exception).__name__,
                "exception_message": None if self.exception is None else str(self.exception),
            }
        )
        known = metadata.simulation or ExportedTraceSimulationMetadata()
        simulation = known.model_copy(
            update={
                "agent_id": known.agent_id if self.agent_id is None else self.agent_id,
                "model_id": known.model_id if self.model_id is None else self.model_id,
            }
        )
        config = metadata.runner_config
        if config is not None:
            # Otherwise ARE reads its own default model from a configuration that names none.
            named = {"agent": simulation.agent_id, "model": simulation.model_id}
            config = config | {key: value for key, value in named.items() if value is not None}
        changed = metadata.model_copy(
            update={"definition": definition, "simulation": simulation, "runner_config": config}
        )
        return trace.model_copy(update={"metadata": changed})
