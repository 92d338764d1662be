"""How often one visitor may do something. Past it a view raises `TooMany`; the frame answers it with 429 and `templates/429.html`.

ASKING = Limit("asking", most=10, seconds=3600)
ASKING.hold(visitor(request))
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil
from time import time
from typing import Self

from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

log = logging.getLogger(__name__)
IPV6_NETWORK_BITS = 64
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


class TooMany(Exception):
    """Once too often: come back in `seconds`; `instead` is a translated sentence on what can be done meanwhile."""

    def __init__(self, seconds: int, instead: str = "") -> None:
        super().__init__(f"again in {seconds} s")
        self.seconds = seconds
        self.instead = instead


def network(address: str | None) -> str:
    """What counts as one visitor: an IPv4 address, or the /64 that one subscriber of IPv6 has; `?` for what is no address."""
    try:
        found = ip_address((address or "").partition("%")[0])
    except ValueError:
        return "?"
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    first = int(found) >> IPV6_NETWORK_BITS << IPV6_NETWORK_BITS
    return f"{IPv6Address(first)}/{IPV6_NETWORK_BITS}"


def visitor(request: HttpRequest | Request) -> str:
    """The visitor's network as far as trusted proxies (NUM_PROXIES) say."""
    return network(BaseThrottle().get_ident(request))  # type: ignore[arg-type]


@contextmanager
def _or_nobody_is_turned_away(name: str) -> Iterator[None]:
    """A limit is a courtesy to the others: without the cache it is off, and the log says so."""
    try:
        yield
    except (RedisError, OSError) as error:
        log.warning("No limit on %s: %s", name, error)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` times in `seconds`, counted from the first; refusals do not lengthen the wait."""

    name: str
    most: int
    seconds: int

    @classmethod
    def of(cls, name: str, rate: str) -> Self:
        """From a rate as people write it: `300/min`, `5/s`, `10/hour`. Raises ImproperlyConfigured."""
        most, _slash, period = rate.partition("/")
        if not most.isdecimal() or int(most) == 0 or period[:1] not in SECONDS:
            raise ImproperlyConfigured(f"{rate!r} is no rate: write a number and a time, such as 300/min.")
        return cls(name, int(most), SECONDS[period[:1]])

    def hold(self, who: str, instead: str = "") -> None:
        """One more time by `who` (a network, a link, an account).

        Raises TooMany where that is once too often.
        """
        self.look(who, instead)
        self.count(who)

    def look(self, who: str, instead: str = "") -> None:
        """Count nothing, only look.

        Raises TooMany where one more would be once too often.
        """
        count, end = self._keys(who)
        with _or_nobody_is_turned_away(self.name):
            found = cache.get_many([count, end])
            if end in found and found.get(count, 0) >= self.most:
                raise TooMany(max(1, ceil(found[end] - time())), instead)

    def count(self, who: str) -> None:
        """One more time by `who`, where what counts shows only afterwards (a wrong password)."""
        count, end = self._keys(who)
        with _or_nobody_is_turned_away(self.name):
            if cache.add(end, time() + self.seconds, self.seconds):
                cache.set(count, 1, self.seconds)
                return
            try:
                cache.incr(count)
            except ValueError:
                log.debug("The time of %s ended this moment", self.name)

    def _keys(self, who: str) -> tuple[str, str]:
        return f"limit:{self.name}:{who}:count", f"limit:{self.name}:{who}:end"
