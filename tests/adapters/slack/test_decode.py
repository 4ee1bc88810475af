"""Slack's payloads as events: what is whose, what is private, and what is none of Redial's business."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.slack.decode import (
    File,
    Here,
    files_of,
    from_command,
    from_event,
    from_home,
    from_press,
    from_shortcut,
    from_submission,
)
from bot.adapters.slack.press import Mark, to_block_id
from bot.core.event import Commanded, InboundEvent, Origin, Pressed, Said
from handlers.commands import read

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "schemas" / "slack-payloads"
HERE = Here("T1", "UBOT", {"C1", "D1"}.__contains__, read)


def written(**more: object) -> dict[str, Any]:
    return {"type": "message", "user": "U1", "text": "hello", "ts": "10.5", "channel": "C1", "event_ts": "10.5"} | more


def said(event: InboundEvent | None) -> Said:
    assert event
    assert isinstance(event.what, Said)
    return event.what


class TestMessages:
    def test_a_mention_and_its_twin_are_one_event(self) -> None:
        text = "<@UBOT> it says `API Error`"
        mention = from_event(written(type="app_mention", text=text), HERE)
        assert mention == from_event(written(text=text), HERE)
        assert mention == InboundEvent(
            "C1:10.5", Origin("slack", "T1", "C1", "U1", "10.5"), Said("it says `API Error`", "mention"), room="threads"
        )

    def test_a_direct_message_has_no_thread(self) -> None:
        event = from_event(written(channel="D1", thread_ts="9.1"), HERE)
        assert said(event).how == "direct"
        assert event
        assert (event.origin.thread, event.room) == ("", "direct")

    def test_words_in_a_thread_and_at_the_top(self) -> None:
        assert said(from_event(written(thread_ts="9.1"), HERE)).how == "thread"
        assert said(from_event(written(), HERE)).how == "watched"

    @pytest.mark.parametrize(
        "more",
        [
            {"bot_id": "B1"}, {"user": "UBOT"}, {"subtype": "channel_join"}, {"subtype": "message_deleted"},
            {"subtype": "bot_message"}, {"type": "reaction_added"}, {"ts": 3}, {"channel": None}, {"user": ""},
        ],
    )  # fmt: skip
    def test_what_nobody_wrote_is_left_alone(self, more: dict[str, Any]) -> None:
        assert from_event(written(**more), HERE) is None

    def test_references_become_words(self) -> None:
        text = (
            "<@UBOT> <@U9> see <https://x.test/a|x.test> &lt;b&gt; &amp; <#C9|help> <!here> <mailto:a@b.test|a@b.test>"
        )
        got = said(from_event(written(type="app_mention", text=text), HERE)).text
        assert got == "@somebody see https://x.test/a <b> & help  a@b.test"

    def test_a_mention_that_quotes_is_about_whom_it_quotes(self) -> None:
        shared = {"is_share": True, "author_id": "U7", "text": "529 Overloaded"}
        got = said(from_event(written(type="app_mention", text="<@UBOT> look", attachments=[shared]), HERE))
        assert (got.text, got.author) == ("look\n529 Overloaded", "U7")

    def test_an_edit_counts_as_one_and_a_mention_that_came_in_as_a_mention(self) -> None:
        after = {
            "type": "message",
            "user": "U1",
            "text": "b",
            "ts": "10.5",
            "thread_ts": "9.1",
            "edited": {"ts": "11.0"},
        }
        event = {"type": "message", "subtype": "message_changed", "channel": "C1", "message": after}
        edit = from_event(event | {"previous_message": {"text": "a"}}, HERE)
        assert said(edit).edited
        assert edit
        assert edit.id == "C1:10.5:11.0"
        assert from_event(event | {"previous_message": {"text": "b"}}, HERE) is None
        mention = event | {"message": after | {"text": "<@UBOT> b"}, "previous_message": {"text": "b"}}
        assert from_event(mention, HERE) == from_event(written(text="<@UBOT> b", thread_ts="9.1"), HERE)

    def test_text_files_are_found_and_others_not(self) -> None:
        good = {"mimetype": "text/plain", "size": 10, "url_private_download": "https://files.slack.com/a"}
        files = [
            good,
            good | {"size": 2**21},
            good | {"mimetype": "image/png"},
            good | {"name": "a.log", "mimetype": ""},
        ]
        assert files_of({"files": files}) == (File("https://files.slack.com/a", 10),) * 2
        assert files_of({"files": "x"}) == ()

    def test_a_sub_command_behind_a_mention_is_one(self) -> None:
        asked = from_event(written(type="app_mention", text="<@UBOT> status"), HERE)
        assert asked == InboundEvent("C1:10.5", Origin("slack", "T1", "C1", "U1"), Commanded("status"), room="threads")
        said_in_a_thread = written(type="app_mention", text="<@UBOT> status", thread_ts="1.1")
        assert said(from_event(said_in_a_thread, HERE)).text == "status"
        assert said(from_event(written(type="app_mention", text="<@UBOT> status page is green"), HERE)).how == "mention"
        assert said(from_event(written(type="app_mention", text="<@UBOT>"), HERE)).text == ""


class TestCommands:
    BODY: Mapping[str, str] = {"channel_id": "C1", "user_id": "U1", "trigger_id": "1.2", "text": "status"}

    def test_a_sub_command_and_a_report(self) -> None:
        event = from_command(self.BODY, HERE)
        assert event == InboundEvent("1.2", Origin("slack", "T1", "C1", "U1"), Commanded("status"), room="threads")
        assert said(from_command({**self.BODY, "text": "connection lost"}, HERE)).how == "command"

    @pytest.mark.parametrize("channel", ["C2", "G3", "D1"])
    def test_where_it_is_no_member_it_cannot_post(self, channel: str) -> None:
        event = from_command({**self.BODY, "channel_id": channel}, HERE)
        assert event
        assert event.room == "closed"

    @pytest.mark.parametrize("lacks", ["channel_id", "user_id", "trigger_id"])
    def test_half_a_command_is_none(self, lacks: str) -> None:
        assert from_command({**self.BODY, lacks: ""}, HERE) is None


class TestPresses:
    def press(self, **more: object) -> dict[str, Any]:
        block = to_block_id(Mark("pick", "conv", 3, "doing"))
        action = {"type": "button", "action_id": "tools", "block_id": block, "action_ts": "5.5"}
        container = {"type": "message", "message_ts": "10.6", "channel_id": "C1", "thread_ts": "10.5"}
        return {"actions": [action], "user": {"id": "U1"}, "channel": {"id": "C1"}, "container": container} | more

    def test_a_button_says_where_it_stood(self) -> None:
        event = from_press(self.press(), HERE)
        assert event == InboundEvent(
            "U1:5.5",
            Origin("slack", "T1", "C1", "U1", "10.5"),
            Pressed("conv", 3, "doing", "tools", "10.6"),
            room="threads",
        )

    def test_a_pick_is_its_option(self) -> None:
        action = self.press()["actions"][0] | {"action_id": "@pick", "selected_option": {"value": "text"}}
        event = from_press(self.press(actions=[action]), HERE)
        assert event
        assert isinstance(event.what, Pressed)
        assert event.what.choice == "text"

    def test_what_one_person_sees_cannot_be_edited(self) -> None:
        event = from_press(self.press(container={"message_ts": "1.1", "channel_id": "C1", "is_ephemeral": True}), HERE)
        assert event
        assert isinstance(event.what, Pressed)
        assert event.what.message == ""

    def test_buttons_of_a_home_are_commands(self) -> None:
        block = to_block_id(Mark("pick", "D1", 0, "@command"))
        actions = [{"action_id": "resume 2", "block_id": block, "action_ts": "5.5"}]
        event = from_press({"actions": actions, "user": {"id": "U1"}, "container": {"type": "view"}}, HERE)
        assert event == InboundEvent("U1:5.5", Origin("slack", "T1", "D1", "U1"), Commanded("resume", "2"))

    def test_buttons_of_others_are_not_ours(self) -> None:
        assert from_press(self.press(actions=[{"action_id": "x", "block_id": "aBc"}]), HERE) is None
        assert from_press(self.press(actions=[]), HERE) is None


class TestShortcuts:
    BODY: Mapping[str, Any] = {
        "callback_id": "redial_triage", "channel": {"id": "C1"}, "user": {"id": "U1"}, "trigger_id": "1.2",
        "message": {"user": "U7", "text": "API Error", "ts": "10.5"},
    }  # fmt: skip

    def test_the_words_are_their_authors(self) -> None:
        event = from_shortcut(self.BODY, HERE)
        assert said(event) == Said("API Error", "shortcut", author="U7")
        assert event
        assert (event.origin.thread, event.room) == ("10.5", "threads")

    def test_ones_own_and_those_of_programs_are_ones_own(self) -> None:
        own = {**self.BODY, "message": {"user": "U1", "text": "API Error", "ts": "10.5"}}
        assert said(from_shortcut(own, HERE)).author == ""
        program = {**self.BODY, "message": {"bot_id": "B2", "text": "", "ts": "1.1", "attachments": [{"text": "529"}]}}
        assert said(from_shortcut(program, HERE)) == Said("529", "shortcut")

    def test_elsewhere_it_is_private(self) -> None:
        event = from_shortcut({**self.BODY, "channel": {"id": "C9"}}, HERE)
        assert event
        assert (event.origin.thread, event.room) == ("", "closed")


class TestForms:
    STATE: ClassVar[dict[str, Any]] = {
        "least": {"chosen": {"type": "static_select", "selected_option": {"value": "major"}}},
        "also": {"chosen": {"type": "checkboxes", "selected_options": [{"value": "general"}, {"value": "replies"}]}},
        "parts": {"chosen": {"type": "multi_static_select", "selected_options": []}},
    }
    CARRIED: ClassVar = '{"command":"subscribe","subject":"p1","channel":"C1"}'
    BODY: ClassVar[dict[str, Any]] = {
        "type": "view_submission", "user": {"id": "U1"}, "trigger_id": "1.1", "team": {"id": "T1"},
        "view": {"id": "V1", "callback_id": "redial_form", "private_metadata": CARRIED, "state": {"values": STATE}},
    }  # fmt: skip

    def test_what_was_chosen_comes_with_the_sub_command_that_asked(self) -> None:
        answers = {"least": ("major",), "also": ("general", "replies"), "parts": ()}
        what = Commanded("subscribe", "p1", answers)
        expected = InboundEvent("U1:V1", Origin("slack", "T1", "C1", "U1"), what, room="threads")
        assert from_submission(self.BODY, HERE) == expected

    @pytest.mark.parametrize(
        "view",
        [{"callback_id": "anothers"}, {"private_metadata": "{"}, {"private_metadata": "{}"}, {"state": []}, {"id": ""}],
    )
    def test_forms_of_others_are_not_ours(self, view: dict[str, Any]) -> None:
        assert from_submission({**self.BODY, "view": {**self.BODY["view"], **view}}, HERE) is None


def test_a_home_is_drawn_when_it_is_looked_at() -> None:
    event = {"type": "app_home_opened", "user": "U1", "channel": "D1", "tab": "home", "event_ts": "3.3"}
    drawn = from_home(event, HERE)
    assert drawn == InboundEvent("U1:home:3.3", Origin("slack", "T1", "D1", "U1"), Commanded("home"))
    assert from_home(event | {"tab": "messages"}, HERE) is None


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(
            ["type", "user", "text", "ts", "channel", "id", "actions", "action_id", "block_id", "message", "container",
             "files", "attachments", "subtype", "callback_id", "previous_message", "selected_option", "value"]
        ), inner, max_size=6),
    max_leaves=25,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["type", "subtype", "message", "actions", "user", "channel", "ts"]), ODD))
def test_whatever_is_sent_nothing_breaks(body: dict[str, Any]) -> None:
    for decode in (from_command, from_press, from_shortcut, from_event, from_home):
        decode({**body, "callback_id": "redial_triage"}, HERE)
    form = {"id": "V1", "callback_id": "redial_form", "private_metadata": TestForms.CARRIED, "state": {"values": body}}
    from_submission({"user": {"id": "U1"}, "view": form}, HERE)
    files_of(body)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/schemas, with Slack's own payloads, is not at hand")
class TestAgainstSlacksOwnSamples:
    """The keys these tests send are keys Slack sends."""

    @pytest.mark.parametrize(
        ("sample", "ours"),
        [
            ("SlashCommandPayload", TestCommands.BODY),
            ("BlockActionPayload", TestPresses().press()),
            ("MessageShortcutPayload", TestShortcuts.BODY),
            ("ViewSubmissionPayload", TestForms.BODY),
        ],
    )
    def test_keys(self, sample: str, ours: Mapping[str, Any]) -> None:
        known = json.loads((SAMPLES / f"{sample}.json").read_text())
        assert set(ours) <= set(known)
        for key in ("container", "user", "channel", "view"):
            if isinstance(ours.get(key), Mapping):
                assert set(ours[key]) <= set(known[key])

    @pytest.mark.parametrize("sample", ["AppMentionPayload", "MessagePayload"])
    def test_keys_of_events(self, sample: str) -> None:
        known = json.loads((SAMPLES / f"{sample}.json").read_text())
        assert set(written(thread_ts="1.1")) - {"thread_ts"} <= set(known["event"])
