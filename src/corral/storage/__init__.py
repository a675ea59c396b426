"""The one way in which corral writes files; `corral.persist` reads those of labelers."""
