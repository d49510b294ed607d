"""A uniform permutation of the rows, drawn in buckets so that no more than one bucket is ever in memory.

Each row falls in a bucket drawn uniformly and independently, each bucket is permuted uniformly, the buckets follow one
another: every order of the rows is equally likely (Rao, *Sankhyā A* 23, 1961; Sandelius, *JRSS B* 24, 1962).
"""

import numpy as np

from sosie.blocks import BLOCK, Rows, blocks
from sosie.streams import stream

_BUCKET_ROWS = 2**18  # part of what a seed means: never change it


def bucket_count(n: int) -> int:
    """How many buckets n rows are thrown into: 1 up to 262,144 rows."""
    return max(1, -(-n // _BUCKET_ROWS))


def buckets_of_block(n: int, number: int, seed: int) -> Rows:
    """The bucket of each row of one block."""
    rows = min(BLOCK, n - number * BLOCK)
    count = bucket_count(n)
    if count == 1:
        return np.zeros(rows, dtype=np.int64)
    return stream(seed, "shuffle", 0, number).integers(0, count, rows)


def order_inside(bucket: int, rows: int, seed: int) -> Rows:
    """The order of a bucket's rows: a permutation of their ranks by row number."""
    return stream(seed, "shuffle", 1, bucket).permutation(rows)


def shuffled_rows(n: int, seed: int) -> Rows:
    """(n,) row numbers in an order drawn uniformly."""
    bucket = np.concatenate(
        [buckets_of_block(n, number, seed) for number, _ in enumerate(blocks(n))] or [np.empty(0, np.int64)]
    )
    order = np.argsort(bucket, kind="stable")
    parts = np.split(order, np.bincount(bucket, minlength=bucket_count(n)).cumsum()[:-1])
    return np.concatenate([part[order_inside(number, len(part), seed)] for number, part in enumerate(parts)])
