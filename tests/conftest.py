"""How property tests look for counterexamples.

By default they try the same values every time, so that a check of unchanged code cannot fail by chance; the long run,
`HYPOTHESIS_PROFILE=explore`, looks for new ones.
"""

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=1_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
