"""`python -m bot` is `redial`."""

from bot.cli import main

main()
