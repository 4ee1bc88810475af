"""What every `PageStore` promises, in memory and on every server it may run on."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.adapters.rehearsal.pages import MemoryPages
from bot.adapters.store.clients import open_server
from bot.adapters.store.keys import page_keys
from bot.adapters.store.pages import RedisPages
from bot.adapters.store.registry import spec_of
from bot.core.errors import RecordTooNew, StoreError
from bot.core.status.subscription import Standing
from bot.core.status.watch import Known
from bot.ports.pages import Doubt, Loss
from tests.contract.page_stores import INCIDENT, PLACE, PageStoreContract, a_page, an_announcement, an_intent

if TYPE_CHECKING:
    from tests.contract.conftest import Backend


class TestOnServers(PageStoreContract):
    @pytest.fixture
    async def pages(self, backend: Backend) -> AsyncIterator[RedisPages]:
        server = await open_server(backend.url, backend.data_dir)
        yield RedisPages(server)
        await server.close()

    @pytest.fixture
    async def other(self, backend: Backend) -> AsyncIterator[RedisPages]:
        server = await open_server(backend.url, backend.data_dir)
        yield RedisPages(server)
        await server.close()

    async def test_every_key_is_in_the_registry_and_none_expires(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        here = await self.listening(pages, page_id)
        await pages.put(await pages.page(page_id), replace(a_page(i1=Known(INCIDENT, 1, 1.0)), id=page_id))
        await pages.record(page_id, here.id, an_announcement())
        await pages.settle(page_id, "slack", 1)
        await pages.lease(page_id, "poll", "a", 60)
        await pages.lineage(page_id)
        await pages.trust(page_id, "slack", 1)
        keys = backend.keys(page_id)
        assert len(keys) == 9
        for key in keys:
            spec = spec_of(key)
            assert spec is not None
            assert backend.admin.type(key) == spec.type.encode()
            assert backend.admin.ttl(key) == -1

    async def test_subscriptions_of_an_earlier_version_are_filed_when_they_are_first_asked_for(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        keys = page_keys(page_id)
        here = [await self.listening(pages, page_id, replace(PLACE, channel=f"C{n}")) for n in range(3)]
        backend.admin.delete(keys.wishes)
        backend.admin.delete(keys.began)
        backend.admin.zadd(keys.began, {"slack:T1:long gone": 1})
        ids = [one.id for one in here]
        assert sorted(await pages.concerned(page_id, "slack", 9, lambda _: False)) == ids, "everybody, this once"
        assert await pages.concerned(page_id, "slack", 9, lambda _: False) == ()
        assert sorted(await pages.concerned(page_id, "slack", 9, lambda _: True)) == ids
        assert await pages.concerned(page_id, "slack", here[1].since, lambda _: False) == (ids[2],)

    async def test_a_new_store_may_have_forgotten_all_there_was_until_it_was_compared(
        self, pages: RedisPages, other: RedisPages, page_id: str
    ) -> None:
        before = await pages.page(page_id)
        lineage = await pages.lineage(page_id)
        doubt = lineage.doubt("slack")
        assert doubt == lineage.doubt("discord") == Doubt(lineage.last, Loss(before.reads, 0.0))
        assert lineage.noted
        await pages.trust(page_id, "slack", lineage.last)
        again = await other.lineage(page_id)
        assert again.id == lineage.id
        assert again.doubt("slack") is None
        assert again.doubt("discord") == doubt

    async def test_who_knew_nothing_of_it_may_look_first_into_a_store_that_was_emptied(
        self, pages: RedisPages, other: RedisPages, backend: Backend, page_id: str
    ) -> None:
        await pages.lineage(page_id)
        backend.admin.delete(page_keys(page_id).lineage)
        fresh = await other.lineage(page_id)
        doubt = fresh.doubt("slack")
        assert doubt is not None
        assert doubt.loss.at == 0
        told = await pages.lineage(page_id)
        assert told.noted
        doubt = told.doubt("slack")
        assert doubt is not None
        assert doubt.loss.at > 0, "now it is known that somebody may have been sending"
        assert not (await other.lineage(page_id)).noted

    async def test_how_often_a_page_was_read_is_counted(self, pages: RedisPages, page_id: str) -> None:
        await self.listening(pages, page_id)
        assert (await pages.page(page_id)).reads == 0
        for at in (1.0, 2.0, 2.0):
            before = await pages.page(page_id)
            assert await pages.put(before, replace(a_page(), id=page_id, read_at=at))
        assert (await pages.page(page_id)).reads == 2, "what changed nothing but the trouble is none"

    async def test_what_was_brought_in_from_elsewhere_is_compared_first(
        self, pages: RedisPages, other: RedisPages, page_id: str
    ) -> None:
        await pages.distrust(page_id)
        lineage = await other.lineage(page_id)
        assert lineage.doubt("slack") == Doubt(lineage.last, Loss(0, 0.0))
        await pages.trust(page_id, "slack", lineage.last)
        await self.listening(pages, page_id)
        await pages.distrust(page_id)
        after = await other.lineage(page_id)
        assert after.last > lineage.last
        assert after.doubt("slack") == Doubt(after.last, Loss(0, 0.0))

    async def test_a_server_whose_data_got_a_new_name_may_have_lost_its_last_writes(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        first = await pages.lineage(page_id)
        await self.listening(pages, page_id)
        await pages.trust(page_id, "slack", first.last)
        backend.admin.hset(page_keys(page_id).lineage, "server", "what it was called before")
        asked = await pages.now()
        lineage = await pages.lineage(page_id)
        doubt = lineage.doubt("slack")
        assert lineage.id == first.id
        assert doubt is not None
        assert doubt.number > first.last
        assert doubt.loss.reads == 0, "a new subscription is no reading"
        assert asked - 200 < doubt.loss.since < asked - 150
        assert asked <= doubt.loss.at
        here = lineage.doubt("discord")
        assert here is not None
        assert (here.number, here.loss.since) == (doubt.number, 0.0), (
            "the older loss still counts where nothing was compared since"
        )
        assert await pages.lineage(page_id) == replace(lineage, noted=False), "asked again, nothing was lost"

    async def test_a_store_that_is_empty_all_of_a_sudden_is_not_a_new_one(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        first = await pages.lineage(page_id)
        backend.admin.delete(page_keys(page_id).lineage)
        after = await pages.lineage(page_id)
        assert after.id != first.id
        (loss,) = after.losses.values()
        assert loss.at > 0, "somebody may have been sending"
        # Whoever had compared everything with what was before says so now.
        await pages.trust(page_id, "slack", first.last)
        assert (await pages.lineage(page_id)).doubt("slack") is not None

    async def test_a_write_whose_answer_was_lost_may_be_repeated(self, pages: RedisPages, page_id: str) -> None:
        here = await self.listening(pages, page_id)
        record = an_announcement(intent=an_intent())
        first = await pages.record(page_id, here.id, record)
        assert await pages.record(page_id, here.id, record) == first
        paused = replace(here, standing=Standing.PAUSED)
        assert await pages.change(here, paused)
        assert await pages.change(here, paused)

    async def test_a_record_of_a_newer_schema_is_refused_and_hides_no_other(
        self, pages: RedisPages, backend: Backend, page_id: str
    ) -> None:
        here = await self.listening(pages, page_id)
        keys = page_keys(page_id)
        backend.admin.hset(keys.subscriptions, "slack:T1:C2", b"1 99 \x80")
        backend.admin.hset(keys.subscriptions, "slack:T1:C3", b"1 1 nonsense")
        assert await pages.subscriptions(page_id) == (here,)
        with pytest.raises(RecordTooNew):
            await pages.subscription(page_id, replace(PLACE, channel="C2"))
        with pytest.raises(StoreError):
            await pages.subscription(page_id, replace(PLACE, channel="C3"))

    async def test_a_hundred_channels_are_read_in_one_go(self, pages: RedisPages, page_id: str) -> None:
        subscribed = [await self.listening(pages, page_id, replace(PLACE, channel=f"C{n}")) for n in range(100)]
        for here in subscribed[::2]:
            await pages.record(page_id, here.id, an_announcement())
        found = await pages.announced(page_id, {s.id: ["i1", "i2"] for s in subscribed})
        assert [set(found.records[s.id]) for s in subscribed] == [{"i1"} if n % 2 == 0 else set() for n in range(100)]


class TestInMemory(PageStoreContract):
    @pytest.fixture
    def pages(self) -> MemoryPages:
        return MemoryPages(time.time)

    @pytest.fixture
    def other(self, pages: MemoryPages) -> MemoryPages:
        return pages
