"""Every situation of every guide: shown within the limits of every platform, and able to end well, on both devices.

A guide is played in every way once, and everything that is asked of its situations is asked on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from bot.adapters.console.plain import as_json, as_text
from bot.adapters.discord.render import Renderer as DiscordRenderer
from bot.adapters.discord.render import Setting
from bot.adapters.slack.render import Renderer as SlackRenderer
from bot.core.guides.guide import Outcome, ToStep
from bot.core.text import Code
from bot.core.view import Tone, View
from tests.adapters.discord import kit as discord
from tests.adapters.slack import kit as slack
from tests.scenarios.playing import Player, Situation, everything, library, page

GRADES = {"official": "official", "reported": "people report", "unconfirmed": "unconfirmed"}
DISCORD_MESSAGE = 4000
WAYS_OUT = ("@human", "@stop", "@wait")
SLACK, DISCORD = SlackRenderer(library().messages), DiscordRenderer(library().messages)


@dataclass
class Explored:
    """A guide played in every way: where each situation leads, what is wrong, and where the page is called fine."""

    leads: dict[Situation, list[Situation]] = field(default_factory=dict)
    outside: set[Situation] = field(default_factory=set)
    faults: set[str] = field(default_factory=set)
    fine: set[str] = field(default_factory=set)
    seen: set[tuple[object, ...]] = field(default_factory=set)

    def check(self, player: Player, *, aside: bool = False) -> None:
        """Check what a player is shown, unless the same was checked before. aside: it is not the step itself."""
        view, here = player.view, player.conversation
        assert here
        what = (replace(view, revision=0, key=""), here.guide, here.step, here.asking, player.managed, aside)
        if what in self.seen:
            return
        self.seen.add(what)
        if "no open incident" in as_text(view, grades=GRADES):
            self.fine.add(view.step)
        wrong = [*([] if aside else of_step(player)), *on_console(view), *on_slack(view), *on_discord(view)]
        self.faults |= {f"{view.guide}#{view.step}: {one}" for one in wrong}


def explored(guide: str, answer: str) -> Explored:
    """Play a guide in every way, on both kinds of device; at each step every way out, and words that answer nothing."""
    found = Explored()
    steps = set[str]()
    for here, player, there in everything(guide, answer=answer):
        found.check(player)
        other = replace(player, managed=not player.managed)
        other.look()
        found.check(other)
        found.leads[here] = there
        found.outside |= {one for one in there if one[0] != guide}
        step = f"{here[1]}?{here[2]}"
        if step in steps or not (player.conversation and player.conversation.open):
            continue
        steps.add(step)
        for way in WAYS_OUT:
            gone = player.fork()
            gone.press(way)
            found.check(gone, aside=True)
        told = player.fork()
        told.say("ok two files edited <!channel> & tests not run")
        found.check(told, aside=True)
    return found


@pytest.mark.parametrize("answer", ["clear", "incident", "unknown"])
@pytest.mark.parametrize("guide", sorted(library().guides))
def test_every_situation_can_be_shown_and_ends(guide: str, answer: str) -> None:
    found = explored(guide, answer)
    assert sorted(found.faults) == []
    assert len(found.seen) > 4
    leads = found.leads
    good = {here for here in leads if here[2].startswith("=")} | found.outside
    while more := {here for here, there in leads.items() if here not in good and good.intersection(there)}:
        good |= more
    assert set(leads) - good == set()
    if answer == "unknown":
        assert found.fine == set(), "an unreadable page is never called fine"
    if answer == "incident":
        ends = {here[2] for here in leads}
        status = any(step.auto for step in library().guides[guide].steps)
        assert (f"={Outcome.WAITING}" in ends) is status, "those who want to wait can"
        assert f"={Outcome.FIXED}" in ends, "nobody is kept from the triage by an incident"


def of_step(player: Player) -> Iterator[str]:
    """What an open question has to have, and what a step around a company's controls does."""
    view, here = player.view, player.conversation
    assert here
    if view.outcome is not None:
        return
    if not view.offers:
        yield "no choice"
    if not {"@human", "@stop"} <= {control.id for control in view.controls}:
        yield "no way out"
    for offer in view.offers if here.guide and not here.asking else ():
        choice = library().choice(here.guide, here.step, offer.id)
        target = choice.target if choice and isinstance(choice.target, ToStep) and choice.target.guide else None
        grave = bool(target and target.step and library().step(target.guide, target.step)[1].destructive)
        if grave is not (offer.tone is Tone.GRAVE):
            yield f"{offer.id} is {offer.tone}"
    step = library().guides[here.guide].step(here.step)
    if step and step.bypass and not here.asking:
        request = [block for block in view.blocks if isinstance(block, Code) and "Request to IT" in block.text]
        if bool(request) is not player.managed:
            yield f"{len(request)} requests to IT although managed is {player.managed}"
        if not any(offer.id == "skip" for offer in view.offers):
            yield "cannot be skipped"


def on_console(view: View) -> Iterator[str]:
    text = as_text(view, grades=GRADES)
    if not 0 < len(text) <= DISCORD_MESSAGE:
        yield f"{len(text)} characters"
    if "{" in "".join(span.text for span in view.lead):
        yield "something is not filled in"
    if as_json(view, grades=GRADES).count(b"\n"):
        yield "JSON of several lines"


def on_slack(view: View) -> Iterator[str]:
    yield from (f"Slack: {fault}" for fault in slack.faults(SLACK.message(view)))


def on_discord(view: View) -> Iterator[str]:
    message = DISCORD.message(view)
    for components in (DISCORD.message(view, Setting()), DISCORD.message(view, discord.PRIVATE)):
        yield from (f"Discord: {fault}" for fault in discord.faults(components))
    yield from (f"Discord: {fault}" for fault in discord.lost(view, message))


def test_a_page_with_an_incident_says_so_in_the_first_answer() -> None:
    player = Player(page("incident"))
    view = player.start("web-connection-lost")
    assert "Elevated errors" in as_text(view, grades=GRADES)
    assert "open for 18 min" in as_text(view, grades=GRADES)
