"""Speed, memory and accuracy, measured in one run against what they are compared with."""
