"""Write a scenario as a story, check it, and export it as the ARE package reads it."""

from pathlib import Path

from adk_agent_sim.scenario import JsonScenarioExporter, Story, lint

s = Story("lunch", start_time=1728975600, duration=600, tags=["Adaptability"])
s.app("Emails", "EmailClientV2", {"user_email": "me@example.org", "view_limit": 5, "folders": {}})

s.user("Ask Gus whether he comes for lunch, and tell me.")
mail = s.oracle("Emails", "send_email", recipients=["gus@example.org"], subject="Lunch", content="Are you coming?")
asked = s.answer("I asked him.")
s.after(asked, seconds=60).env("Emails", "reply_to_email_from_user", sender="gus@example.org", email_id=mail)
s.answer("He comes.")

scenario = s.scenario()
for finding in lint(scenario, checks_are=True):
    print(finding)

_, path = JsonScenarioExporter().export_to_json_file(scenario=scenario, output_dir=Path("scenarios"))
print(f"exported to {path}")
