"""Collects an answer piece by piece and never holds more of it than allowed, packed or unpacked."""

from __future__ import annotations

import zlib

from bot.core.errors import StatusError

_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class Body:
    """The bytes of one answer. `encoding` is its Content-Encoding, `limit` the most bytes it may have."""

    def __init__(self, encoding: str, limit: int) -> None:
        encoding = encoding.strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise StatusError(f"the answer is packed in a way nobody asked for ({encoding[:40]})")
        self._unpack = None if encoding in {"", "identity"} else zlib.decompressobj(_GZIP_OR_ZLIB)
        self._limit = limit
        self._packed = 0
        self._data = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take the next piece; raises `StatusError` as soon as the answer is too large or cannot be unpacked."""
        self._packed += len(chunk)
        if self._unpack is not None:
            # The length has to be given here: a kilobyte may unpack to a megabyte in one go.
            try:
                chunk = self._unpack.decompress(chunk, self._limit - len(self._data) + 1)
            except zlib.error as error:
                raise StatusError("the answer cannot be unpacked") from error
        self._data += chunk
        if max(self._packed, len(self._data)) > self._limit:
            raise StatusError(f"the answer is larger than {self._limit:,} bytes")

    def finish(self) -> bytes:
        """Return the whole answer; raises `StatusError` when its end is missing."""
        if self._unpack is not None and not self._unpack.eof:
            raise StatusError("the answer ends before it is complete")
        return bytes(self._data)
