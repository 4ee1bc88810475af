"""Somebody who writes in a language without guides is answered in English, and told so in theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.recogniser.language import Languages
from bot.core.text import Text, plain
from tests.core.reports import own_reports
from tests.scenarios.desk import person
from tests.scenarios.playing import content, library, recogniser

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


SHORT = {
    "de": [
        "claude funktioniert nicht",
        "claude kaputt",
        "mein claude spinnt",
        "claude code geht nicht mehr",
        "claude ist nicht erreichbar und die Verbindung bricht ab",
    ],
    "es": [
        "claude no funciona",
        "se cae la conexion todo el rato",
        "claude anda lento",
        "claude no funciona y se corta en la mitad",
    ],
    "fr": [
        "claude ne marche plus",
        "claude marche pas",
        "erreur avec claude",
        "claude ne marche pas et je ne sais plus quoi faire",
    ],
    "pt": [
        "claude não funciona",
        "o claude caiu?",
        "meu claude travou",
        "o claude não funciona e para no meio da resposta",
    ],
    "ru": ["клод не работает", "claude отваливается", "claude не отвечает"],
    "zh": ["claude用不了", "claude 连不上"],
    "ja": ["claudeが動かない", "claude が動かない"],
    "ko": ["클로드 안돼요", "클로드가 안돼요"],
    "it": [
        "claude non funziona",
        "claude non va più da stamattina",
        "claude code si interrompe a metà risposta, succede anche a voi?",
    ],
    "nl": [
        "claude werkt niet",
        "mijn claude doet het niet meer",
        "claude code verbreekt steeds de verbinding halverwege het antwoord",
    ],
    "pl": ["claude nie działa", "claude code przerywa w połowie odpowiedzi"],
    "tr": ["claude olmuyor", "claude benim için çok kötü, hata", "claude 529 overloaded veriyor"],
    "uk": ["клод не працює, зв'язок зникає", "claude code обривається посеред відповіді"],
    "ar": ["كلود لا يعمل", "claude لا يعمل، خطأ في الاتصال"],
    "he": ["קלוד לא עובד", "claude code מתנתק באמצע התשובה"],
    "hi": ["claude काम नहीं कर रहा", "claude code बीच में कनेक्शन टूट जाता है"],
    "vi": ["claude không hoạt động", "claude code bị ngắt kết nối giữa chừng"],
    "id": ["claude tidak bisa konek", "claude code putus di tengah jawaban, kalian juga?"],
    "fa": ["claude code وسط جواب قطع میشه"],
    "th": ["claude ใช้ไม่ได้", "claude เชื่อมต่อไม่ได้"],
    "el": ["το claude code κόβεται στη μέση της απάντησης"],
    "sv": ["claude funkar inte, jag kommer inte in"],
    "da": ["claude code afbrydes midt i svaret, er det også sådan hos jer?"],
    "no": ["claude code fungerer ikke, jeg får bare feil"],
    "fi": ["claude code katkeaa kesken vastauksen, ei toimi"],
    "cs": ["claude code se odpojí uprostřed odpovědi", "claude nejde, pořád chyba připojení"],
    "ro": ["claude code se oprește la jumătatea răspunsului", "nu pot să mă conectez la claude code"],
    "hu": ["a claude code válasz közben megszakad, nem működik"],
    "en": [
        "claude is down and it does not work for me",
        "claude is down",
        "no",
        "claude died again",
        "is it down in de eu?",
        "API Error: Connection closed mid-response",
    ],
}


@pytest.mark.parametrize("language", sorted(SHORT))
def test_a_few_words_tell_the_language(language: str) -> None:
    assert {text: recogniser().recognise(text).language for text in SHORT[language]} == dict.fromkeys(
        SHORT[language], language
    )


def test_every_language_that_is_told_is_answered_in_a_line_and_the_other_way_round() -> None:
    told = {language.code for language in content().products.languages} - {"en"}
    assert told == {key.removeprefix("language.") for key in library().messages.keys("language")}
    assert told == SHORT.keys() - {"en"}


def test_hardly_any_report_is_taken_for_another_language() -> None:
    languages = Languages(content().products.languages)
    rows = [(row.language, languages.of(row.text)) for row in own_reports()]
    assert sum(said == told for said, told in rows) / len(rows) > 0.98
    english = [told for said, told in rows if said == "en"]
    assert sum(told != "en" for told in english) / len(english) < 0.005
