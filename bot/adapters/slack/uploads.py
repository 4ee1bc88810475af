"""Pictures: Slack hands out an address, takes the bytes there, and is then told where to show them."""

from __future__ import annotations

from bot.adapters.slack.api import Api
from bot.adapters.slack.limits import ALT, cut
from bot.adapters.slack.mrkdwn import escaped
from bot.core.event import Origin
from bot.core.view import Picture


async def bring(api: Api, origin: Origin, picture: Picture, says: str) -> None:
    """Show a picture in `origin.channel` with a line above it; raises what a call does."""
    wanted = {"filename": picture.name, "length": len(picture.png), "alt_txt": cut(picture.alt, ALT)}
    given = await api.call(origin.workspace, "files.getUploadURLExternal", wanted, again=True)
    await api.upload(str(given["upload_url"]), picture.png)
    shown = {"files": [{"id": given["file_id"], "title": says}], "channel_id": origin.channel}
    await api.call(origin.workspace, "files.completeUploadExternal", {**shown, "initial_comment": escaped(says)})
