"""The simulated environment of one session: which rule answers a call, the counts, and a person's changes.

call --> pending fault of the tool? --> its actions ---------------------------> response
              |
              no --> a player chosen for the tool? --> the mock, person or tool -> response
              |
              no --> rules in order: the first that matches --> its actions ---> response
                           |
                           none --> the real tool, or RealToolRefused (`unanswered: refuse`)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from adk_agent_sim.environment.actions import AnyAction
from adk_agent_sim.environment.actions.action import (
    NO_RESULT,
    AskPerson,
    LlmMockFinder,
    RuleExecution,
    SessionLlmMocks,
    SessionReplays,
    refuse_llm_mock,
)
from adk_agent_sim.environment.incoming_call import CallWatcher, IncomingCall, SessionRandomness, create_randomness
from adk_agent_sim.environment.json_values import copy_value
from adk_agent_sim.environment.report_fold import UnansweredCall
from adk_agent_sim.environment.rule_decision import (
    ACTS_INSIDE,
    NOT_RUN,
    RAN_TOOL,
    SWITCHED_OFF,
    DecisionTally,
    ExecutionOutcome,
    RuleDecision,
)
from adk_agent_sim.environment.rulebook import (
    Candidates,
    CompiledRule,
    PendingFault,
    PendingFaults,
    Rulebook,
    RuleState,
    ToolLister,
    build_rule_state,
)
from adk_agent_sim.environment.tool_choices import ConfiguredMocks, ToolChoices, ToolPlayer
from adk_agent_sim.errors import InvalidTransition, RealToolRefused, SimulatorError
from adk_agent_sim.mocks.resource_store import ResourceStore
from adk_agent_sim.timeline.clock import SimulatedClock
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT


class Environment:
    """Answers the calls of one session by the rules and counts them."""

    def __init__(
        self,
        rulebook: Rulebook,
        randomness: SessionRandomness | None = None,
        *,
        on_fault: Callable[[str], None] = lambda tool: None,
        find_llm_mock: LlmMockFinder = refuse_llm_mock,
        default_model: str = "",
        watcher: CallWatcher | None = None,
        clock: SimulatedClock | None = None,
    ) -> None:
        """Create the environment of a session.

        Args:
            rulebook: The rules.
            randomness: What its random draws depend on; by default the seed and the label of the rulebook.
            on_fault: Called with the tool's name when a fault is added for its next call.
            find_llm_mock: Returns the mock of a model that rules name; without ADK there is none.
            default_model: The model that `find_llm_mock` uses for rules that name none, if Python code has chosen it.
            watcher: Sees every call that is answered.
            clock: The session's clock, if it has one of its own, such as the one of a scenario's world.
        """
        self.rulebook = rulebook
        self.randomness = randomness or create_randomness(rulebook.spec.seed, rulebook.label)
        self.sleeper = clock or rulebook.create_sleeper()
        """How time passes in delays."""
        self.read_clock = clock.monotonic if clock is not None else rulebook.create_clock()
        """Returns the seconds since the session began, if it has a clock; otherwise delays make its time."""
        self._records_times = self.read_clock is not None and any(rule.matches_by_time for rule in rulebook.rules)
        self.tally = DecisionTally(rulebook)
        """What happened so far, for the report."""
        self.is_recorded = False
        """Whether the timeline has the rules and the seed of this session."""
        self.has_unrecorded_switch = False
        """Whether another profile became active, and the timeline does not have that yet."""
        self.list_tools: ToolLister = lambda: None
        """Returns the names of the tools that can be called, so that a fault names one; None if they are not known."""
        self._on_fault = on_fault
        self.configured_mocks = ConfiguredMocks(rulebook, default_model)
        """The mocks that a person can choose because rules or Python code name what they need."""
        self._llm_mocks = SessionLlmMocks(find_llm_mock)
        self._watcher = watcher
        self.profile = rulebook.profile
        """The active profile of the session; None if there is none."""
        self.active_profiles: list[str] = [] if self.profile is None else [self.profile]
        """All profiles that have been active in the session, in the order in which they became so."""
        self._disabled_rules = {rule.index for rule in rulebook.rules if not rule.rule.enabled}
        self._disabled_rules |= rulebook.spec.list_inactive_rules(self.profile)
        self.tool_choices = ToolChoices()
        """Who plays the tools, where a person has chosen it."""
        self._faults = PendingFaults(
            rulebook.exceptions,
            lambda: self.list_tools(),  # noqa: PLW0108 - it is set later
        )

    @cached_property
    def resources(self) -> ResourceStore:
        """What mocks have created in the session; it begins with the environment data of the rules."""
        return ResourceStore(copy_value(self.rulebook.spec.environment_data), self.rulebook.declared_nouns)

    @cached_property
    def replays(self) -> SessionReplays:
        """The recordings that are replayed in the session."""
        return SessionReplays()

    @property
    def rules(self) -> list[RuleState]:
        """The rules with their current state."""
        tried, fired = self.tally.build_fold().count_by_rule()
        return [
            build_rule_state(
                rule,
                enabled=rule.index not in self._disabled_rules,
                tried_count=tried[rule.name],
                fired_count=fired[rule.name],
            )
            for rule in self.rulebook.rules
        ]

    @property
    def pending_faults(self) -> Mapping[str, int]:
        """The number of faults that wait for the next calls, by tool."""
        return Counter(fault.tool for fault in self._faults)

    @property
    def faults(self) -> Sequence[PendingFault]:
        """The faults that wait for the next calls, in the order in which they are used."""
        return tuple(self._faults)

    def switch(self, name: str, *, on: bool) -> None:
        """Switch a rule on or off for this session, from the next call on.

        Raises:
            SimulatorError: There is no rule with that name.
        """
        for rule in self.rulebook.rules:
            if rule.name == name:
                if on:
                    self._disabled_rules.discard(rule.index)
                else:
                    self._disabled_rules.add(rule.index)
                return
        raise SimulatorError(
            f"There is no rule {name!r}; the rules are: {', '.join(r.name for r in self.rulebook.rules)}."
        )

    def switch_profile(self, profile: str | None) -> None:
        """Make a profile the active one for this session, from the next call on; None for no profile.

        Rules that belong to profiles are switched on or off; the others stay as they are.

        Raises:
            InvalidRules: There is no such profile.
        """
        self.rulebook.check_profile(profile)
        inactive = self.rulebook.spec.list_inactive_rules(profile)
        profiled = {rule.index for rule in self.rulebook.rules if rule.profiles}
        always_off = {rule.index for rule in self.rulebook.rules if not rule.rule.enabled}
        # A new set: decisions that were made before keep the old one for their explanations.
        self._disabled_rules = (self._disabled_rules - profiled) | (always_off & profiled) | inactive
        self.has_unrecorded_switch |= profile != self.profile
        self.profile = profile
        if profile is not None and profile not in self.active_profiles:
            self.active_profiles.append(profile)

    def choose_tool_player(self, tool: str, player: ToolPlayer) -> None:
        """Choose who plays a tool in this session, from the next call on, instead of whoever the rules say.

        Args:
            tool: The name of the tool.
            player: "real" for the tool itself, "human" for a person, "rules" for whoever the rules say, else a mock.
                "llm" and "replay" use the model or the recording that a rule names.

        Raises:
            InvalidTransition: The tool itself is chosen, and the rules refuse real calls; or a mock is chosen that is
                not configured.
        """
        if refusal := self.explain_refused_player(tool, player):
            raise InvalidTransition(refusal)
        mock = self.configured_mocks.find(player, tool) if player in ("llm", "replay") else None
        self.tool_choices.choose(tool, player, mock)
        self._on_fault(tool)

    def explain_refused_player(self, tool: str, player: ToolPlayer) -> str:
        """Return why a player cannot be chosen for a tool, and what to do; empty if it can."""
        if player == "real" and self.rulebook.refuses_real_tools:
            return f"{tool} cannot run for real: the rules say `unanswered: refuse`. Choose another player."
        return self.configured_mocks.explain_missing(player, tool) if player in ("llm", "replay") else ""

    def add_fault(self, tool: str, *actions: AnyAction) -> None:
        """Apply these actions to the next call of a tool, instead of any rule. Several faults are used in order.

        Raises:
            InvalidFault: The actions cannot be carried out, or the tool's name has wildcards.
            NotFound: There is no such tool.
        """
        self._faults.add(tool, actions)
        self._on_fault(tool)

    def add_model_fault(self, *actions: AnyAction) -> None:
        """Apply these actions to the next call of a model, instead of any rule; a person's turns are never changed.

        Raises:
            InvalidFault: The actions cannot be carried out, or are for calls of tools.
        """
        self.add_fault(MODEL_SEAT, *actions)

    @property
    def acts_on_models(self) -> bool:
        """Whether there are rules for the model's seat, or a fault waits for its next call."""
        return self.rulebook.has_model_rules or self.has_model_fault

    @property
    def has_model_fault(self) -> bool:
        """Whether a fault waits for the next call of a model."""
        return self._faults.has_fault_for(MODEL_SEAT)

    def replace_fault(self, fault_id: str, tool: str, *actions: AnyAction) -> bool:
        """Replace a fault that is pending, at its place in the order; returns whether it was still there.

        Raises:
            InvalidFault: The actions cannot be carried out, or the tool's name has wildcards.
            NotFound: There is no such tool.
        """
        is_replaced = self._faults.replace(fault_id, tool, actions)
        if is_replaced:
            self._on_fault(tool)
        return is_replaced

    def remove_fault(self, fault_id: str) -> bool:
        """Remove a fault that is pending; returns whether it was still there."""
        return self._faults.remove(fault_id)

    def decide(self, call: IncomingCall, *, has_tool: bool = True) -> RuleDecision:
        """Find the rule or fault that answers a call, and count it.

        Args:
            call: The call.
            has_tool: Whether there is such a tool; if not, only rules that do not act inside the tool can answer.
        """
        if self._records_times:
            _ = call.record  # the time is that of the first look at the history
        if self._faults and (fault := self._faults.take(call.tool)):
            decision = RuleDecision(call, fault.rule, ())
            self.tally.fold.add_decision(decision.build_facts())
            return decision
        if call.tool in self.tool_choices:
            return self._decide_by_choice(call)
        candidates = self.rulebook.find_candidates(call.tool, by_name_only=call.steers_run)
        disabled = self._disabled_rules
        positions: list[int] = []
        answering: CompiledRule | None = None
        for rule in candidates:
            if rule.index in disabled:
                positions.append(SWITCHED_OFF)
                continue
            position = 0
            for is_met in rule.predicate_checks:
                if not is_met(call):
                    positions.append(position)
                    break
                position += 1  # noqa: SIM113 - `enumerate` costs more than most checks
            else:
                if has_tool or not rule.acts_inside_call:
                    answering = rule
                else:
                    positions.append(ACTS_INSIDE)
                break
        skipped = tuple(positions)
        unanswered = "" if answering is not None else self._get_unanswered(candidates, has_tool=has_tool)
        decision = RuleDecision(call, answering, candidates, skipped, unanswered)
        # Near misses and texts that are too long differ from call to call, so these decisions have no common pattern.
        if unanswered or call.unsearched:
            self.tally.fold.add_decision(decision.build_facts())
        else:
            self.tally.count(call.tool, "", skipped)
        return decision

    def _decide_by_choice(self, call: IncomingCall) -> RuleDecision:
        """Return the decision for a tool whose player was chosen."""
        decision = RuleDecision(call, self.tool_choices.get_rule(call.tool), ())
        self.tally.fold.add_decision(decision.build_facts())
        return decision

    def _get_unanswered(self, candidates: Candidates, *, has_tool: bool) -> str:
        """Return what happens to a call that no rule answers."""
        if candidates and candidates[0].rule.seat == "model":
            return ""
        if not has_tool:
            return UnansweredCall.NO_SUCH_TOOL.value
        if self.rulebook.refuses_real_tools:
            return UnansweredCall.REFUSED.value
        return UnansweredCall.LIVE.value if candidates else ""

    def describe_actions(self, decision: RuleDecision) -> list[str]:
        """Return a description of each action for this call, including random values that were drawn.

        After a call that a model has answered, it also says what the model was asked.
        """
        if decision.rule is None:
            return []
        execution = self._create_execution(decision.call, decision.rule, _fail_if_run)
        described = [execution.describe(action) for action in decision.rule.actions]
        done = decision.execution
        return described if done is None or done.journal is None else [*described, done.journal.describe()]

    def _create_execution(
        self,
        call: IncomingCall,
        rule: CompiledRule,
        run_tool: Callable[[], Awaitable[object]],
        ask_person: AskPerson | None = None,
    ) -> RuleExecution:
        return RuleExecution(
            call,
            rule.name,
            seed=rule.rule.match.seed,
            sleeper=self.sleeper,
            exceptions=self.rulebook.exceptions,
            run_tool=run_tool,
            get_resources=lambda: self.resources,
            llm=self._llm_mocks,
            replays=self.replays,
            ask_person=ask_person,
        )

    async def answer(
        self,
        decision: RuleDecision,
        run_tool: Callable[[], Awaitable[object]],
        ask_person: AskPerson | None = None,
        *,
        has_tool: bool = True,
    ) -> object:
        """Carry out a decision and return the call's result.

        Args:
            decision: The result of `decide`.
            run_tool: Runs the tool's own code.
            ask_person: Asks a person for the tool's response; None if there is nobody to ask.
            has_tool: Whether that code can be run.

        Raises:
            RealToolRefused: No rule answers, and the rules refuse real calls.
        """
        carry_out = partial(self._carry_out, decision, ask_person)
        if self._watcher is not None and has_tool:
            return await self._watcher.watch(decision.call, carry_out, run_tool)
        return await carry_out(run_tool)

    async def _carry_out(
        self, decision: RuleDecision, ask_person: AskPerson | None, run_tool: Callable[[], Awaitable[object]]
    ) -> object:
        rule, tool = decision.rule, decision.call.tool
        if rule is None:
            if decision.unanswered == UnansweredCall.REFUSED:
                raise RealToolRefused(tool, "no rule answers the call, and the rules say `unanswered: refuse`")
            self.tally.fold.real[tool] += 1
            return await run_tool()
        execution = decision.execution = self._create_execution(decision.call, rule, run_tool, ask_person)
        result: object = NO_RESULT
        for action in rule.actions:
            result = await action.apply(execution, result)
        return await execution.run_tool() if result is NO_RESULT else result

    def complete(self, decision: RuleDecision) -> ExecutionOutcome:
        """Count how a call ended, or how far it came if it was cancelled; call it once for each decision."""
        rule, execution = decision.rule, decision.execution
        if rule is None:
            return NOT_RUN if decision.unanswered == UnansweredCall.REFUSED else RAN_TOOL
        mocked = execution.journal.to_json() if execution is not None and execution.journal is not None else None
        if execution is not None and execution.has_asked_person:
            self.tally.fold.add_response_of_person(decision.call.tool)
        if execution is None or not (execution.has_run_tool or rule.only_changes_result):
            return replace(NOT_RUN, mocked=mocked) if mocked else NOT_RUN
        outcome = ExecutionOutcome(
            ran_tool=execution.has_run_tool,
            left_unchanged=rule.only_changes_result and not execution.has_effect,
            mocked=mocked,
        )
        self.tally.fold.add_execution(
            decision.call.tool, rule.name, ran_tool=outcome.ran_tool, left_unchanged=outcome.left_unchanged
        )
        return outcome


async def _fail_if_run() -> object:
    raise AssertionError("describing an action must not run the tool")
