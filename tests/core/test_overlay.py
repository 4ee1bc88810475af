"""A company's content over the built-in one: added, replaced, hidden; what is wrong points into the company's file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.guides.guide import Guide, ToStep
from bot.core.guides.library import Library
from bot.core.guides.markdown import read_guide
from bot.core.guides.overlay import lay_over
from bot.core.lint import rules
from bot.core.text import Note, Text, plain
from tests.core.small import small

HEAD = "---\nmerge: true\nreviewed: 2026-12-24\n---\n"
LINES = HEAD.count("\n")


def laid(body: str, guide: str = "page-lost", head: str = HEAD) -> tuple[Library, Guide, list[str]]:
    """The small library with a company's file over a guide, that guide, and all that is wrong."""
    patch, problems = read_guide(head + body, guide_id=guide, path=f"ours/{guide}.md")
    merged, complaints = lay_over(small().guides.get(guide), patch)
    library = replace(small(), guides={**small().guides, guide: merged})
    found = [*problems, *complaints, *rules.problems(library, rules.ids(small()))]
    return library, merged, [str(problem) for problem in found]


def clean(body: str, guide: str = "page-lost", head: str = HEAD) -> tuple[Library, Guide]:
    library, merged, found = laid(body, guide, head)
    assert found == []
    return library, merged


def test_a_file_with_a_new_name_adds_a_guide() -> None:
    body = "Ask the desk first.\n\n## Ours? {#ours}\n- [Yes](outcomes.md#left){#yes}\n"
    library, guide = clean(body, "desk", "---\ntitle: Ours\nreviewed: 2026-12-24\n---\n")
    assert library.guides["desk"] is guide


def test_a_file_with_the_name_of_a_guide_replaces_it() -> None:
    body = 'Ask the desk.\n\n## Ours? {#ours was="time"}\n- [Yes](outcomes.md#left){#yes}\n'
    _, guide = clean(body, "limit", "---\ntitle: Ours\nreviewed: 2026-12-24\n---\n")
    assert [step.id for step in guide.steps] == ["ours"]


def test_a_note_can_be_added_to_a_plain_question() -> None:
    _, guide = clean("## When? {#time add}\n{#ours evidence=reported}\n> The desk knows.\n", "limit")
    step = guide.step("time")
    assert step
    assert step.evidence is None
    assert isinstance(step.body[-1], Note)


def test_a_step_with_a_known_id_replaces_that_step() -> None:
    _, guide = clean(
        "## Try a private window, at the desk {#private evidence=reported}\nThe desk helps.\n\n"
        "- [It holds there](#extension){#holds}\n- [Same trouble there](#vpn){#drops}\n"
        "- [A reply was cut off](cut-off.md){#cut}\n"
    )
    step = guide.step("private")
    assert step
    assert plain(step.title) == "Try a private window, at the desk"
    assert (step.path, step.line) == ("ours/page-lost.md", LINES + 1)
    assert [s.id for s in guide.steps] == [s.id for s in small().guides["page-lost"].steps]


def test_a_replaced_step_keeps_its_former_ids() -> None:
    base = small().guides["limit"]
    older = replace(base, steps=(replace(base.start, was=("when",)),))
    body = '## Which time? {#time was="hour"}\n- [Any](outcomes.md#left){#any}\n'
    merged, _ = lay_over(older, read_guide(HEAD + body, guide_id="limit")[0])
    assert merged.start.was == ("hour", "when")


def test_a_step_is_found_by_its_former_id() -> None:
    base = small().guides["limit"]
    older = replace(base, steps=(replace(base.start, was=("when",)),))
    merged, complaints = lay_over(older, read_guide(f"{HEAD}## More {{#when add}}\nOurs.\n", guide_id="limit")[0])
    assert complaints == ()
    assert [step.id for step in merged.steps] == ["time"]
    assert merged.start.body


def test_a_step_with_a_new_id_is_added() -> None:
    _, guide = clean(
        "## More {#private add}\n- [It is the proxy](#proxy){#proxy}\n\n"
        "## It is our proxy {#proxy cause=proxy evidence=reported}\nThe desk knows.\n\n"
        "- [The desk did it](outcomes.md#fixed){#done}\n"
    )
    assert guide.steps[-1].id == "proxy"
    private = guide.step("private")
    assert private
    assert [choice.id for choice in private.choices] == ["holds", "drops", "cut", "proxy"]


def test_a_note_and_a_link_are_added_to_a_step() -> None:
    _, guide = clean(
        "## More {#private add}\nSee [our page](https://intranet.example/claude).\n\n"
        "{#ours evidence=reported}\n> The desk has a clean profile to lend.\n"
    )
    step = guide.step("private")
    assert step
    *_, link, note = step.body
    assert isinstance(link, Text)
    assert isinstance(note, Note)
    assert plain(step.title) == "Does it hold in a private window?"
    assert step.evidence == "reported"


def test_a_variant_is_added_to_a_step() -> None:
    _, guide = clean('## More {#extension add}\n### Another one {when="browser=other"}\nAsk the desk.\n')
    step = guide.step("extension")
    assert step
    assert plain(step.variants[-1].title) == "Another one"


def test_signs_phrases_and_sources_are_added_and_words_replaced() -> None:
    head = (
        "---\nmerge: true\ntitle: Our title\nsigns: [Proxy says no]\nphrases: [proxy is red]\n"
        "sources:\n  desk: https://desk.example\nreviewed: 2026-12-24\nwas: [lost-page]\n---\n"
    )
    _, guide = clean("", head=head)
    assert guide.title == "Our title"
    assert [sign.text for sign in guide.signs] == ["Connection lost. Retrying", "Proxy says no"]
    assert guide.signs[1].path == "ours/page-lost.md"
    assert guide.phrases[-1] == "proxy is red"
    assert guide.sources["desk"] == "https://desk.example"
    assert (guide.reviewed, guide.was) == ("2026-12-24", ("lost-page",))


def test_the_text_before_the_first_step_is_added_to_the_quick_answer() -> None:
    _, guide = clean("The desk is on floor 2.\n")
    assert [plain(block.inline) for block in guide.summary if isinstance(block, Text)] == [
        "Copy what you wrote before you reload anything.", "The desk is on floor 2.",
    ]  # fmt: skip


def test_questions_are_added_and_replaced_by_their_id() -> None:
    body = (
        "## Questions {.questions}\n### Is it lost? {#faq-session evidence=reported}\nNo.\n\n"
        "### Who helps? {#who evidence=reported}\nWe.\n"
    )
    _, guide = clean(body, "cut-off")
    assert [question.id for question in guide.questions] == ["faq-resume", "faq-session", "who"]
    assert plain(guide.questions[1].title) == "Is it lost?"


# --- hiding ----------------------------------------------------------------------------------------------------


def test_a_hidden_step_is_passed_by() -> None:
    library, guide = clean(
        "## No VPN here {#vpn hide}\n- [Go on](#sign-out){#on}\n\n## No VPN {#vpn-found hide}\n- [On](#sign-out){#on}\n"
    )
    assert {"vpn", "vpn-found"}.isdisjoint(step.id for step in guide.steps)
    # A link to it, and a conversation that stands there, go on at the detour.
    private = guide.step("private")
    assert private
    drops = private.choice("drops")
    assert drops
    assert drops.target == ToStep("page-lost", "vpn")
    assert library.step("page-lost", "vpn")[1].id == "sign-out"


def test_where_the_first_step_is_hidden_people_begin_at_the_detour() -> None:
    base = small().guides["cut-off"]
    merged, complaints = lay_over(
        base, read_guide(f"{HEAD}## - {{#doing hide}}\n- [On](#status){{#on}}\n", guide_id="cut-off")[0]
    )
    assert complaints == ()
    assert merged.start.id == "status"
    assert merged.step("doing") is merged.start


def test_detours_are_followed_along_a_chain() -> None:
    body = "## - {#vpn hide}\n- [On](#vpn-found){#on}\n\n## - {#vpn-found hide}\n- [On](#sign-out){#on}\n"
    library, _ = clean(body)
    assert library.step("page-lost", "vpn")[1].id == library.step("page-lost", "vpn-found")[1].id == "sign-out"


# --- what is wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "line", "told"),
    [
        ("## - {#gone add}\nOurs.\n", 1, "guide `page-lost` has no step `gone` to add to or to hide [overlay]"),
        ("## - {#gone hide}\n- [On](#vpn){#on}\n", 1, "guide `page-lost` has no step `gone` to add to or to hide"),
        ("## - {#vpn hide}\n", 1, "below a hidden step stands one choice: the step of this guide that people go to"),
        ("## - {#vpn hide}\n- [A](#sign-out){#a}\n- [B](#private){#b}\n", 1, "below a hidden step stands one choice"),
        ("## - {#vpn hide}\n- [On](cut-off.md){#on}\n", 1, "below a hidden step stands one choice"),
        ("## - {#vpn hide}\n- [On](#gone){#on}\n", 1, "people go on at `gone` instead of `vpn`, and there is no"),
        ("## - {#vpn hide}\n- [On](#vpn){#on}\n", 1, "people go on at `vpn` instead of `vpn`, and there is no"),
        ("## - {#vpn add destructive}\nOurs.\n", 1, "`add` adds blocks and choices only: replace the step to change"),
        # Rules of the linter, about what the company wrote.
        ("## - {#vpn add}\n- [Nowhere](#gone){#gone}\n", 2, "no step `page-lost#gone` [unknown-target]"),
        ("## - {#vpn add}\n- [Same](#sign-out){#same}\n", 2, "the choice `same` of step `vpn` is there 2 times"),
        ("## - {#vpn add}\n- [F](#sign-out){#f mood=bad}\n", 2, "no fact `mood` in facts.md [unknown-fact]"),
        ('## - {#extension add}\n### M {when="browser=mosaic"}\nX.\n', 2, "the fact `browser` has no value `mosaic`"),
        ("## - {#vpn add}\n{#n evidence=official}\n> X.\n", 1, "`evidence=official` needs `source=`"),
        ("## - {#private add}\nThen try again.\n", 1, "step `private` reads as if it advised to send again"),
        ("## New {#new evidence=reported}\nX.\n\n- [E](outcomes.md#left){#e}\n", 1, "no choice leads to step `new`"),
        ("## Q {.questions}\n### Who? {#who}\nWe.\n", 2, "the answer to `who` needs `evidence=` [evidence]"),
        ("## No id\n- [End](outcomes.md#left){#end}\n", 1, "a step needs an id"),
    ],
)  # fmt: skip
def test_a_mistake_points_into_the_companys_file(body: str, line: int, told: str) -> None:
    found = laid(body)[2]
    assert any(one.startswith(f"ours/page-lost.md:{line + LINES}: {told}") for one in found), found


def test_a_bad_sign_points_into_the_companys_file() -> None:
    found = laid("", head="---\nmerge: true\nsigns: [a]\n---\n")[2]
    assert "ours/page-lost.md:3: the sign `a` is too short to point anywhere [sign]" in found


def test_a_lost_choice_of_a_replaced_step_points_into_the_companys_file() -> None:
    found = laid(
        "## X {#sign-out destructive evidence=reported}\n{.undo}\nIn.\n\n- [It holds](outcomes.md#fixed){#works}\n"
    )[2]
    assert any(
        one.startswith(f"ours/page-lost.md:{LINES + 1}: `page-lost#sign-out#dropped` was released") for one in found
    )


def test_merging_over_nothing_is_told() -> None:
    library, guide, found = laid("", "nobody")
    assert "ours/nobody.md:1: `merge: true`, but there is no guide `nobody` below it [overlay]" in found
    assert library.guides["nobody"].start is guide.start


def test_adding_and_hiding_without_merge_is_told() -> None:
    head = "---\ntitle: Ours\nreviewed: 2026-12-24\n---\n"
    found = laid("Ours.\n\n## - {#vpn hide}\n- [On](#vpn){#on}\n", head=head)[2]
    assert "ours/page-lost.md:7: `add` and `hide` need `merge: true` in the front matter [overlay]" in found


def test_hiding_everything_is_told_and_does_not_break_the_rest() -> None:
    _, guide, found = laid("## - {#time hide}\n- [On](#time){#on}\n", "limit")
    assert guide.steps
    assert any("[overlay]" in one for one in found)
