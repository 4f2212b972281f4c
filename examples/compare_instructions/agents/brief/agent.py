"""The assistant with one sentence as its instruction."""

from google.adk.agents import LlmAgent
from task_model import TaskModel

INSTRUCTION = "Do with the apps what the user asks for."

root_agent = LlmAgent(name="assistant", model=TaskModel(model="scripted"), instruction=INSTRUCTION)
