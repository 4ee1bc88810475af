"""Wide and right-to-left letters keep to the width of the terminal: two columns a letter, no line cut or torn."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from bot.adapters.console.terminal import Terminal
from bot.core.text import Code, Heading, Text, words
from bot.core.view import Offer, View

GRADES = {"official": "official", "reported": "people report", "unconfirmed": "unconfirmed"}
SAID = {
    "zh": "目前我只能用英文回答。回答时输入数字就行。连接在回答到一半的时候断开了。请不要马上重新发送。" * 2,
    "ja": "今のところ英語でしかお答えできません。番号を入力するだけで答えられます。接続が途中で切れました。" * 2,
    "ko": "지금은 영어로만 답할 수 있습니다. 번호만 입력해도 됩니다. 응답 도중에 연결이 끊겼습니다. " * 2,
    "ar": "أجيب حاليًا بالإنجليزية فقط، ويكفي أن تردّ برقم. انقطع الاتصال في منتصف الرد. " * 2,
    "he": "כרגע אני עונה רק באנגלית; מספיק להשיב במספר. החיבור נותק באמצע התשובה. " * 2,
    "emoji": "👩‍💻 claude died 😡😡😡 again and again " * 4,
}


@pytest.mark.parametrize("width", [24, 40, 80, 200])
@pytest.mark.parametrize("language", sorted(SAID))
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(language: str, width: int) -> None:
    text = SAID[language]
    out = io.StringIO()
    view = View(
        lead=words(text),
        preface=(Text(words(text)),),
        blocks=(Heading(words(text)), Code(text)),
        read_as=words(text),
        offers=(Offer(1, "a", text[:70]),),
    )
    Terminal(GRADES, Console(file=out, width=width, highlight=False)).show(view)
    lines = out.getvalue().splitlines()
    assert max(map(cell_len, lines)) <= width
    shown = "".join("".join(lines).split())
    assert shown.count("".join(text.split())[:8]) >= 5
