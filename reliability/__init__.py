"""How hard corral is to break: fuzzing, faults, hostile files, numbers, versions.

``python -m reliability --help`` lists the parts. Each stores what it counted in
reliability/results, and docs/reliability.md is written from that.
"""
