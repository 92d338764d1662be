"""The address of a measurement's source, where its words hold one."""

import re

_PINNED = re.compile(r"^(?P<repo>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{6,40})(?:\s+(?P<path>[^\s(,]+))?")
_THREAD = re.compile(r"^(?P<repo>[\w.-]+/[\w.-]+) issue #(?P<number>\d+)")
_ADDRESS = re.compile(r"https://[^\s,)]+")


def address_of(source: str) -> str | None:
    """`owner/name@commit path`, `owner/name issue #7` or an https address -> a link; None where there is no safe one."""
    if found := _PINNED.match(source):
        base = f"https://github.com/{found['repo']}"
        path = found["path"]
        if path and "*" not in path and ("/" in path or "." in path):
            return f"{base}/blob/{found['commit']}/{path}"
        return f"{base}/tree/{found['commit']}"
    if found := _THREAD.match(source):
        return f"https://github.com/{found['repo']}/issues/{found['number']}"
    link = _ADDRESS.search(source)
    return link.group(0) if link else None
