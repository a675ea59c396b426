"""What judges wrote, as files of JSON lines, read as signals."""

from corral.judges.judge_answers import JudgeAnswers, JudgeCounts
from corral.judges.read_judges import read_judges

__all__ = ["JudgeAnswers", "JudgeCounts", "read_judges"]
