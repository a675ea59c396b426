"""The workbench in Chromium, from an opened file to exported functions."""

import csv
import re

import pytest
from tests.workbench.server.client import HOSTILE, write_reviews

pytest.importorskip("uvicorn", reason="it needs the extra serve")
pytest.importorskip("playwright.sync_api", reason="it needs playwright")

from playwright.sync_api import expect

import corral
from corral.functions import load_functions

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
RULES = "#rules tbody tr:not(.setter)"


class Hands:
    """What a person does on the page."""

    def __init__(self, opened):
        self.opened, self.page = opened, opened.page
        self.page.set_default_timeout(10_000)
        expect(self.page.locator("#rows > li").first).to_be_attached()

    def type_rule(self, words, name="pos"):
        """Type words, as a rule for a class."""
        self.page.locator("#words").fill(words)
        self.choose(name)

    def choose(self, value):
        """Choose one of several: the buttons lie below their words."""
        self.page.locator(f"[type=radio][value={value}]").check(force=True)

    def add_rule(self, words, name="pos"):
        """Add a rule, and wait until it is in the table."""
        before = self.page.locator(RULES).count()
        self.type_rule(words, name)
        self.page.locator("#words").press("Enter")
        expect(self.page.locator(RULES)).to_have_count(before + 1)

    def names(self):
        """Of the rules in the table."""
        return self.page.locator(f"{RULES} .rule bdi").all_inner_texts()

    def number(self, rule, what):
        """A number of a rule."""
        line = self.page.locator(RULES).nth(rule)
        said = line.locator(f"[data-count={what}]").inner_text().partition("/")[0]
        return int(said.replace(",", ""))

    def see(self, selector, text):
        """Wait for a text."""
        expect(self.page.locator(selector)).to_contain_text(text)


@pytest.fixture
def use(serve, open_page):
    """A function that opens the page of a server, or of a new one."""

    def open_bench(server=None, **options):
        server = server or serve()
        return Hands(open_page(server.access.address, **options))

    return open_bench


def test_from_a_file_to_functions_with_the_same_votes(serve, use, tmp_path):
    path = write_reviews(tmp_path / "more réviews.csv", 180, HOSTILE)
    hands = use(serve(path))
    page = hands.page
    hands.add_rule("great, A DELIGHT")
    hands.add_rule("awful", "neg")
    hands.choose("regex")
    page.locator("#pattern").fill(r"(?i)\bbor(ing|ed)\b|dull")
    page.locator("#pattern").press("Alt+1")
    page.locator("#pattern").press("Enter")
    expect(page.locator(RULES)).to_have_count(3)
    names = hands.names()
    page.get_by_text("Export").click()
    with page.expect_download() as started:
        page.locator("[data-export=functions]").click()
    assert started.value.suggested_filename == "more réviews_functions.py"
    started.value.save_as(tmp_path / "exported.py")
    functions = load_functions(tmp_path / "exported.py")
    assert [function.name for function in functions] == names
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    votes = corral.apply(functions, rows, classes=["neg", "pos"]).votes
    covered = [hands.number(at, "covered") for at in range(3)]
    assert covered == (votes >= 0).sum(axis=0).tolist()
    assert min(covered) > 0
    assert hands.opened.errors == []


def test_numbers_follow_every_keystroke_without_a_jump(use):
    hands = use()
    page = hands.page
    hands.add_rule("awful", "neg")
    place = page.locator("#rules").bounding_box()
    hands.choose("pos")
    page.locator("#words").press_sequentially("great")
    hands.see("#rows-title", "match what you type")
    live = page.locator("#live-covered")
    expect(live).to_contain_text(re.compile(r"\d"))
    assert page.locator("#rows mark").first.inner_text().lower() == "great"
    assert page.locator("#live-note").inner_text().count("→") > 0
    assert page.locator("#rules").bounding_box() == place
    covered = live.inner_text().split()[0]
    page.locator("#words").press("Enter")
    expect(page.locator(RULES)).to_have_count(2)
    assert hands.number(1, "covered") == int(covered)
    hands.choose("regex")
    page.locator("#pattern").fill("(never closed")
    hands.see("#live-error", "RE2")
    assert page.locator("#pattern").get_attribute("aria-invalid") == "true"
    page.locator("#pattern").fill("closed")
    expect(page.locator("#live-error")).to_be_empty()


HOLD = """() => {
  const send = window.fetch, held = [];
  window.asked = [];
  window.release = () => held.shift()?.();
  window.fetch = (path, options) => {
    if (path !== "/preview") return send(path, options);
    window.asked.push(JSON.parse(options.body).rule.words.join());
    return new Promise((answer, fail) => {
      held.push(() => answer(send(path, options)));
      options.signal.addEventListener("abort", () => {
        window.asked.push("given up");
        held.pop();
        fail(options.signal.reason);
      });
    });
  };
}"""
"""Previews wait until they are released; `asked` has their words."""


def test_numbers_come_while_one_types_faster_than_they_are_found(use):
    hands = use()
    page, live = hands.page, hands.page.locator("#live")
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # nothing takes long
    page.evaluate(HOLD)
    page.locator("#words").press_sequentially("great")
    assert page.evaluate("asked") == ["g"]  # one is under way, and the newest waits
    page.evaluate("release()")
    hands.see("#live-note", "No row has this")
    expect(live).to_have_attribute("data-state", "waiting")
    page.wait_for_function("asked.length === 2")
    page.locator("#words").press_sequentially(", m")
    page.evaluate("release()")
    expect(page.locator("#live-covered")).to_contain_text(re.compile(r"[1-9]"))
    page.wait_for_function("asked.length === 3")
    assert page.evaluate("asked") == ["g", "great", "great,m"]
    page.evaluate("release()")
    expect(live).to_have_attribute("data-state", "known")
    page.locator("#words").press_sequentially("ov")
    page.clock.run_for(1000)  # the one under way takes long, and something waits
    page.wait_for_function("asked.length === 6")
    assert page.evaluate("asked.slice(3)") == ["great,mo", "given up", "great,mov"]
    page.locator("#words").fill("")
    assert page.evaluate("asked.at(-1)") == "given up"
    expect(page.locator("#live-covered")).to_have_text("\u2013")
    assert hands.opened.errors == []


def test_by_the_name_of_another_machine(use):
    # There pages have less: browsers give it to HTTPS and to this machine only.
    hands = use()
    hands.page.add_init_script("delete Crypto.prototype.randomUUID")
    hands.page.reload()
    hands.add_rule("great")
    assert hands.number(0, "covered") > 0


def test_a_quick_hand_loses_nothing(use):
    hands = use()
    page = hands.page
    page.keyboard.type("great")
    page.keyboard.press("Alt+2")
    page.keyboard.press("Enter")
    page.keyboard.type(r"dull\, boring, awful")  # a comma that belongs to the words
    page.keyboard.press("Alt+1")
    page.keyboard.press("Enter")
    page.keyboard.type("moving")
    expect(page.locator(RULES)).to_have_count(2)
    assert hands.names() == ["great", "dull, boring, awful"]
    assert page.locator("#words").input_value() == "moving"
    page.locator(f"{RULES} .rule").nth(1).click()
    assert page.locator("#words").input_value() == r"dull\, boring, awful"
    covered = hands.number(1, "covered")
    page.locator("#words").press("Enter")
    expect(page.locator("#editing")).to_be_hidden()
    assert hands.number(1, "covered") == covered


def test_undo_and_redo(use):
    hands = use()
    page, rules = hands.page, hands.page.locator(RULES)
    hands.add_rule("great")
    hands.add_rule("awful", "neg")
    rules.first.locator(".remove").click()
    expect(rules).to_have_count(1)
    page.locator("#undo").click()
    expect(rules).to_have_count(2)
    for key, left in (("u", 1), ("U", 2), ("Control+z", 1), ("Control+Shift+Z", 2)):
        page.locator("body").press(key)
        expect(rules).to_have_count(left)


def test_hostile_text_stays_text(serve, use, tmp_path):
    long = "great " + "<b>x</b>" * 131_072  # a cell of 1 MB
    path = write_reviews(tmp_path / "reviews.csv", 60, [*HOSTILE, long])
    hands = use(serve(path, classes=("<i>neg</i>", "pos\u202e")))
    page = hands.page
    page.locator("#words").fill("<script>, great, 👨‍👩‍👧")
    page.locator("#words").press("Enter")
    expect(page.locator(RULES)).to_have_count(1)
    expect(page.locator("#rows-title")).to_have_text("All rows")
    texts = page.locator("#rows > li .text")
    assert "<script>document.title = 'taken'</script> great" in texts.first.inner_text()
    assert "onerror" in texts.nth(1).inner_text()
    assert "U+202E" in texts.nth(2).inner_text()
    assert "👨‍👩‍👧 great 🎬 emoji" in texts.nth(3).inner_text()
    assert texts.nth(3).locator("mark").first.inner_text() in ("👨‍👩‍👧", "great")
    assert len(texts.nth(5).inner_text()) < 1000
    page.locator("#rows > li .at").nth(5).click()
    hands.see("#rows > li:nth-child(6) .more", "characters")
    assert len(texts.nth(5).inner_text()) > 10_000
    assert page.locator("#rows script, #rows img, #rows b b, #rules i").count() == 0
    assert "taken" not in page.title()
    assert hands.opened.errors == []


def test_a_late_writer_is_told_and_loses_nothing(serve, use):
    server = serve()
    early, late = use(server), use(server)
    early.add_rule("great")
    late.type_rule("awful", "neg")
    late.page.locator("#words").press("Enter")
    late.see("#notice", "press Enter")
    assert late.page.locator("#words").input_value() == "awful"
    assert late.names() == ["great"]
    late.page.locator("#words").press("Enter")
    expect(late.page.locator(RULES)).to_have_count(2)
    early.page.reload()
    expect(early.page.locator(RULES)).to_have_count(2)


def test_every_number_shows_its_rows(use):
    hands = use()
    hands.add_rule("great")
    hands.add_rule("awful", "neg")
    line = hands.page.locator(RULES).first
    for what in ("covered", "conflicting", "only_this"):
        number = hands.number(0, what)
        assert number > 0
        line.locator(f"[data-count={what}]").click()
        hands.see("#rows-title", f"{number:,} rows")
        marks = hands.page.locator("#rows > li").first.locator("mark")
        assert "great" in [mark.lower() for mark in marks.all_inner_texts()]
    hands.page.locator("#totals button").nth(1).click()
    hands.see("#rows-title", "contradict each other")
    hands.page.locator("#search").fill("friday")
    hands.see("#rows-title", "with friday")
    assert "friday" in hands.page.locator("#rows mark").first.inner_text().lower()


def test_one_key_labels_a_row_and_accuracy_appears(use):
    hands = use()
    page = hands.page
    hands.add_rule("great, wonderful, moving, a delight, well acted")
    hands.add_rule("awful, boring, a waste, badly written, dull", "neg")
    page.locator("#label-rows").click()
    hands.see("#asking-title", "What is row")
    hands.choose("random")
    hands.see("#asking .hint", "drawn by lot")
    hands.see("#asking .score", "Label 20 more random rows")
    for done in range(1, 25):
        asked = page.locator("#asking-title").inner_text()
        page.keyboard.press("2")
        expect(page.locator("#asking-title")).not_to_have_text(asked)
        hands.see("#asking .score", f"{done} random")
    hands.see("#asking .score", "24 random rows and 0 suggested ones labelled")
    hands.see("#asking .score", "labels are right on")
    hands.see("#accuracy", "right (")
    page.keyboard.press("l")
    assert page.locator("#asking").is_hidden()
    page.locator("#rows > li").nth(2).focus()
    page.keyboard.press("1")
    hands.see("#rows > li:nth-child(3)", "by hand: neg")
    assert hands.number(0, "wrong") > 0
    page.locator(RULES).first.locator("[data-count=wrong]").click()
    hands.see("#rows-title", "gets wrong")


def test_rates_and_shares_that_cannot_hold_together_are_named(use):
    hands = use()
    page = hands.page
    hands.add_rule("great, wonderful, moving")
    hands.add_rule("awful, boring, dull", "neg")
    page.locator(f"{RULES} .rate").first.click()
    hands.choose("at_most")
    page.locator(".setter [type=range]").fill("5")
    expect(page.locator(f"{RULES} .rate").first).to_contain_text("≤ 5%")
    least = page.locator("#balance [data-end=at_least]").first
    least.fill("95%")
    least.press("Enter")
    hands.see("#feasible", "cannot hold together")
    hands.see("#feasible", "great, wonderful, moving")
    expect(page.locator("#rules .culprit")).to_have_count(1)
    least.fill("many")
    least.press("Enter")
    hands.see("#balance-problem", "must be a number")
    least.fill("")
    least.press("Enter")
    expect(page.locator("#feasible")).to_be_empty()


def test_words_selected_in_a_row_become_a_rule(use):
    hands = use()
    page = hands.page
    hands.add_rule("great, wonderful")
    hands.add_rule("awful, boring", "neg")
    page.locator("#search").fill("dull")
    hands.see("#rows-title", "with dull")
    page.locator("#rows mark").first.dblclick()
    hands.see("#proposal", "covers")
    assert "neg" in page.locator("#proposal").inner_text()
    page.keyboard.press("r")
    assert page.locator("#words").input_value().lower() == "dull"
    expect(page.locator("#live-covered")).to_contain_text(re.compile(r"\d"))
    page.locator("#words").press("Enter")
    expect(page.locator(RULES)).to_have_count(3)


def test_classes_are_named_on_the_page(use, serve):
    hands = use(serve(classes=None))
    assert hands.page.locator("#composer").is_hidden()
    assert hands.page.evaluate("document.activeElement.id") == "class-names"
    assert hands.opened.audit() == []
    hands.page.locator("#class-names").fill("only one")
    hands.page.locator("#class-names").press("Enter")
    hands.see("#class-problem", "two classes or more")
    hands.page.locator("#class-names").fill("neg, pos, other")
    hands.page.locator("#class-names").press("Enter")
    expect(hands.page.locator("#classes input")).to_have_count(3)
    hands.add_rule("great", "other")


def test_a_column_joins_as_a_rule_and_a_class_is_added(serve, use, tmp_path):
    path = tmp_path / "judged.csv"
    lines = ["great film here,POSITIVE", "awful film here,NEG", "so it is,unsure"]
    path.write_text("\n".join(["text,llm", *(lines * 20)]))
    hands = use(serve(path))
    page = hands.page
    hands.choose("column")
    hands.see("#values", "unsure")
    chosen = [each.input_value() for each in page.locator("#values select").all()]
    assert sorted(chosen) == ["", "neg", "pos"]  # by the beginnings of their names
    hands.see("#live-covered", "40")
    page.locator("#add").click()
    expect(page.locator(RULES)).to_have_count(1)
    assert hands.names() == ["llm"]
    page.locator("#new-class").fill("other")
    page.locator("#new-class").press("Enter")
    expect(page.locator("#classes input")).to_have_count(3)
    page.locator(f"{RULES} .rule").first.click()
    page.locator("#values select[name=unsure]").select_option("other")
    hands.see("#live-covered", "60")
    page.locator("#add").click()
    expect(page.locator("#totals button").nth(2)).to_have_text("0%")
    page.locator("#undo").click()
    assert hands.opened.audit() == []
    assert hands.opened.errors == []


def test_rows_without_a_vote_a_classifier_and_the_report(use):
    hands = use()
    page = hands.page
    assert page.locator("#train").is_disabled()
    hands.add_rule("great")
    hands.add_rule("awful", "neg")
    page.locator("#filters button").nth(2).click()
    page.locator("#topics .topic", has_text="boring").first.click()
    expect(page.locator("#words")).to_have_value("boring")
    hands.choose("neg")
    page.locator("#words").press("Enter")
    expect(page.locator(RULES)).to_have_count(3)
    expect(page.locator("#topics .words .topic", has_text="boring")).to_have_count(0)
    page.locator("#topics .link").first.click()
    hands.see("#rows-title", "Rows with words such as")
    page.locator("#train").click()
    hands.see("#training", "It contradicts most:")
    hands.see("#rows-title", "the classifier contradicts")
    hands.see("#rows > li .verdict >> nth=0", "classifier:")
    page.locator("#rows > li .text").first.click()
    expect(page.locator("#rows .more")).to_have_count(1)
    assert hands.opened.audit() == []
    page.locator("#label-rows").click()
    hands.see("#asking-title", "What is row")
    assert page.locator("#asking mark").count() == 0
    page.keyboard.press("1")
    hands.see("#asking .score", "is neg; ")
    with page.context.expect_page() as opened:
        page.locator("#report").click()
    report = opened.value
    expect(report.locator("h1")).to_have_text("reviews.csv")
    assert report.evaluate("document.styleSheets.length") == 1
    assert hands.opened.errors == []


@pytest.mark.parametrize("width", [1280, 390])
def test_many_classes_with_long_names_leave_the_numbers_in_sight(serve, use, width):
    names = [f"class number {i} with a name that goes on and on" for i in range(40)]
    names.append("x" * 120)
    hands = use(serve(classes=tuple(names)), width=width)
    page = hands.page
    page.locator("#words").fill("great")
    expect(page.locator("#live-covered")).to_contain_text(re.compile(r"\d"))
    seen = page.locator("#live").bounding_box()
    assert seen["y"] + seen["height"] < 900
    pane = page.locator("#rules-pane").bounding_box()
    field = page.locator("#balance tbody input").last.bounding_box()
    assert field["x"] + field["width"] <= pane["x"] + pane["width"]


def test_by_keyboard_alone(use):
    page = use().page
    assert page.evaluate("document.activeElement.id") == "words"
    page.keyboard.type("great")
    page.keyboard.press("Alt+2")
    page.keyboard.press("Enter")
    expect(page.locator(RULES)).to_have_count(1)
    expect(page.locator("#rows-title")).to_have_text("All rows")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("#rows > li .more")).to_have_count(1)
    page.keyboard.press("2")
    expect(page.locator("#rows > li").nth(1)).to_contain_text("by hand: pos")
    expect(page.locator("#rows > li .more")).to_have_count(1)  # still open
    page.keyboard.press("j")
    page.keyboard.press("1")
    expect(page.locator("#rows > li").nth(2)).to_contain_text("by hand: neg")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.id") == "words"


def open_everything(hands):
    """All parts of the page that can be open at the same time."""
    page = hands.page
    hands.add_rule("great")
    hands.add_rule("awful", "neg")
    page.locator(f"{RULES} .rate").first.click()
    if page.locator(".views").is_visible():
        page.locator(".views [data-view=rows]").click()
    page.locator("#label-rows").click()
    hands.see("#asking-title", "What is row")
    page.locator("#rows > li .at").first.click()
    expect(page.locator("#rows .more")).to_have_count(1)
    page.get_by_text("Export").click()


@pytest.mark.parametrize("dark", [False, True])
def test_audit_of_a_wide_page(use, dark):
    hands = use(dark=dark)
    if not dark:
        assert hands.opened.audit() == []
    open_everything(hands)
    assert hands.opened.audit() == []
    hands.page.keyboard.press("Escape")
    hands.page.locator("#show-keys").click()
    assert hands.opened.audit() == []
    assert hands.opened.errors == []


def test_audit_at_the_width_of_a_phone(use):
    hands = use(width=390)
    page = hands.page
    open_everything(hands)
    for view in ("rows", "rules"):
        page.locator(f".views [data-view={view}]").click()
        assert hands.opened.audit() == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_link_of_another_site_opens_the_page(serve, open_page, tmp_path):
    other = tmp_path / "terminal.html"
    address = serve().access.address
    other.write_text(f'<a href="{address}">printed by corral serve</a>')
    page = open_page(other).page
    with page.expect_request(address) as opened:
        page.locator("a").click()
    page.wait_for_selector("#rows > li", state="attached")
    assert opened.value.all_headers()["sec-fetch-site"] == "cross-site"
    assert "token" not in page.url
