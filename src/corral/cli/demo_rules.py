"""Rules on the made-up messages of `corral demo`; all of them err at times."""

from corral.functions import keywords


def has(label: str, *words: str) -> object:
    """A rule that votes for a class where a message has one of the words."""
    return keywords("text", words, label, match="word")


money = has("billing", "refund", "charged", "billed", "invoice", "debited")
paying = has("billing", "card", "payment", "price", "discount")
parcel = has("delivery", "parcel", "package", "courier", "tracking")
order = has("delivery", "order", "box", "item")
address = has("delivery", "address", "arrived", "shipped")
app = has("technical", "app", "password", "screen", "error")
device = has("technical", "update", "change", "phone", "stuck")
trouble = has("technical", "help", "cannot", "nothing", "wrong")
