"""Somebody who writes in a language without guides is answered in English, and told so in theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.text import Text, plain
from tests.scenarios.desk import person
from tests.scenarios.playing import library

SAID = {
    "zh": "Claude Code 回答到一半就断了 API Error: Connection closed mid-response",
    "ja": "クロードの返事が途中で切れました。API Error: Connection closed mid-response と出ます",
    "ko": "클로드 응답이 중간에 끊겨요 API Error: Connection closed mid-response",
    "es": "Claude se cortó a mitad de la respuesta y ahora dice: API Error: Connection closed mid-response",
    "de": "Claude bricht mitten in der Antwort ab, da steht: API Error: Connection closed mid-response",
    "fr": "Claude s'est arrêté au milieu de la réponse, il affiche : API Error: Connection closed mid-response",
    "pt": "O Claude parou no meio da resposta e agora mostra: API Error: Connection closed mid-response",
    "ru": "Claude оборвал ответ на середине, пишет: API Error: Connection closed mid-response",
}


@pytest.mark.parametrize("language", sorted(SAID))
async def test_the_first_line_is_in_their_language(tmp_path: Path, language: str) -> None:
    async with person(tmp_path) as somebody:
        first = await somebody.say(SAID[language])
        second = await somebody.press(first.offers[0].id)
    line = Text(library().messages.inline(f"language.{language}"))
    assert first.guide == "response-cut-off"
    assert first.preface[0] == line
    assert line not in second.preface


async def test_in_english_nothing_is_said_about_it(tmp_path: Path) -> None:
    async with person(tmp_path) as somebody:
        view = await somebody.say("API Error: Connection closed mid-response")
    assert not any(isinstance(block, Text) and "English" in plain(block.inline) for block in view.preface)
