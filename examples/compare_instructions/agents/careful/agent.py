"""The same assistant, with rules in its instruction."""

from google.adk.agents import LlmAgent
from task_model import TaskModel

INSTRUCTION = """Do with the apps what the user asks for.

- If a name fits several people or files, ask which one is meant before you do anything.
- If something is to happen at a certain time, wait until then.
- If you ask somebody, wait for the answer before you go on.
"""

root_agent = LlmAgent(name="assistant", model=TaskModel(model="scripted"), instruction=INSTRUCTION)
