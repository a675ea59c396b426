"""What happens to files when a run is killed, interrupted or starved."""
