"""The language somebody wrote in, and the line they get when there are no guides in it."""

from __future__ import annotations

import pytest

from tests.core.reports import recogniser
from tests.scenarios.playing import content


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("claude is down and it does not work for me", "en"),
        ("claude ist nicht erreichbar und die Verbindung bricht ab", "de"),
        ("claude ne marche pas et je ne sais plus quoi faire", "fr"),
        ("claude no funciona y se corta en la mitad", "es"),
        ("o claude não funciona e para no meio da resposta", "pt"),
        ("claude не отвечает", "ru"),
        ("claude 连不上", "zh"),
        ("claude が動かない", "ja"),
        ("클로드가 안돼요", "ko"),
        ("claude code si interrompe a metà risposta, succede anche a voi?", "it"),
        ("claude code przerywa w połowie odpowiedzi", "pl"),
        ("claude code verbreekt steeds de verbinding halverwege het antwoord", "nl"),
        ("claude 529 overloaded veriyor", "tr"),
        ("claude code bị ngắt kết nối giữa chừng", "vi"),
        ("claude code putus di tengah jawaban, kalian juga?", "id"),
        ("claude code обривається посеред відповіді", "uk"),
        ("claude لا يعمل، خطأ في الاتصال", "ar"),
        ("claude code وسط جواب قطع میشه", "fa"),
        ("claude code מתנתק באמצע התשובה", "he"),
        ("claude code बीच में कनेक्शन टूट जाता है", "hi"),
        ("claude ใช้ไม่ได้", "th"),
        ("το claude code κόβεται στη μέση της απάντησης", "el"),
        ("claude funkar inte, jag kommer inte in", "sv"),
        ("claude code afbrydes midt i svaret, er det også sådan hos jer?", "da"),
        ("claude code fungerer ikke, jeg får bare feil", "no"),
        ("claude code katkeaa kesken vastauksen, ei toimi", "fi"),
        ("claude code se odpojí uprostřed odpovědi", "cs"),
        ("claude code se oprește la jumătatea răspunsului", "ro"),
        ("a claude code válasz közben megszakad, nem működik", "hu"),
    ],
)
def test_the_language_is_guessed(text: str, language: str) -> None:
    assert recogniser().recognise(text).language == language


def test_each_language_without_guides_has_its_line() -> None:
    told = {key.removeprefix("language.") for key in content().library.messages if key.startswith("language.")}
    assert told == {language.code for language in content().products.languages} - {"en"}
