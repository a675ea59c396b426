"""Rules: what they may be, and that they are functions of corral."""

import pytest

from corral.errors import ParameterError
from corral.workbench import Rule

RULES = [
    Rule("words", "pos", words=("great", "must see")),
    Rule("regex", "neg", pattern=r"(?i)wors(t|e)", name="worst"),
    Rule("column", None, column="llm", values={"YES": "pos", "0": "neg"}),
]


def test_rules_survive_json():
    assert [Rule.from_dict(rule.to_dict()) for rule in RULES] == RULES
    titles = ["great, must see", "worst", "llm"]
    assert [rule.title for rule in RULES] == titles


@pytest.mark.parametrize(
    ("wrong", "parameter"),
    [
        ({"kind": "magic"}, "kind"),
        ({"kind": ["words"]}, "kind"),
        ({"class": None}, "class"),
        ({"class": ""}, "class"),
        ({"class": 3}, "class"),
        ({"words": []}, "words"),
        ({"words": [["x"]]}, "words"),
        ({"words": "great"}, "words"),
        ({"name": 7}, "name"),
        ({"name": ""}, "name"),
        ({"kind": "regex"}, "pattern"),
        ({"kind": "regex", "pattern": "("}, "pattern"),
        ({"kind": "regex", "pattern": r"(?<=a)b"}, "pattern"),
        ({"kind": "regex", "pattern": 7}, "pattern"),
        ({"kind": "column", "column": "a", "values": {"x": "pos"}}, "class"),
        ({"kind": "column", "class": None, "column": "a"}, "values"),
        ({"kind": "column", "class": None, "column": "a", "values": ["x"]}, "values"),
        (
            {"kind": "column", "class": None, "column": "a", "values": {"x": 1}},
            "values",
        ),
        ({"kind": "column", "class": None, "values": {"x": "pos"}}, "column"),
        ({"made_up": 1}, "rule"),
    ],
)
def test_what_is_no_rule_is_refused_by_the_name_of_the_field(wrong, parameter):
    right = {"kind": "words", "class": "pos", "words": ["great"]}
    with pytest.raises(ParameterError) as caught:
        Rule.from_dict(right | wrong)
    assert caught.value.parameter == parameter
    assert len(str(caught.value)) < 300
    for given in (None, 3, [], "words"):
        with pytest.raises(ParameterError):
            Rule.from_dict(given)
