"""Units. GB is 1e9 bytes (a data sheet's word), GiB is 2**30 (what an allocator counts). Never mixed."""

GIB = 1 << 30
"""Bytes in one GiB."""
GB = 1_000_000_000
"""Bytes in one GB."""


def gib(size_bytes: float) -> float:
    """Bytes to GiB."""
    return size_bytes / GIB


def gib_from_gb(size_gb: float) -> float:
    """GB (1e9 bytes) to GiB."""
    return size_gb * GB / GIB
