"""Many runs of agents in scenarios and eval cases: the plan, the engines that execute it, its results and reports."""
