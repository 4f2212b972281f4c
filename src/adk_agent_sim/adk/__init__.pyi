from .evals.model_judge import ModelJudge as ModelJudge
from .loading.agent_loader import get_demo_folder as get_demo_folder
from .loading.agent_loader import load_app as load_app
from .worlds.run_plan import WorldRunPlan as WorldRunPlan
from .worlds.run_plan import execute_plan as execute_plan
from .worlds.run_plan import prepare_run as prepare_run
