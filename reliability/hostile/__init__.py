"""Input that was made to harm: crafted in code, tried one by one, counted."""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # a process with threads is not to be forked
