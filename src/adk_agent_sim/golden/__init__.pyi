from .eval_criteria import EvalCriteria as EvalCriteria
from .eval_set import EvalSetWriter as EvalSetWriter
from .golden_trace_builder import GoldenTraceBuilder as GoldenTraceBuilder
from .session import SimulationSession as SimulationSession
