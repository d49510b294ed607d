"""Memory given back, seen from the system's side."""

import subprocess
import sys

HELD = 128  # mebibytes

PROGRAM = f"""
import numpy as np, pyarrow as pa
from sosie.tasks.memory import give_back

def held():
    status = open("/proc/self/status").read()
    return int(status.split("VmRSS:")[1].split()[0]) // 1024

before = held()
table = [pa.array(np.random.default_rng(0).random(10_000)).cast(pa.string()) for _ in range({HELD} * 2)]
table = pa.chunked_array(table).combine_chunks()
pieces = [bytearray(50_000) for _ in range({HELD} * 10)]
most = held()
last = pieces[-1]  # the heap cannot shrink beyond it
del table, pieces
give_back()
print(before, most, held())
"""


def test_what_is_freed_leaves_the_process() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    before, most, after = map(int, run.stdout.split())
    assert most - before > HELD
    assert after - before < HELD / 2


LARGE_BLOCKS = f"""
import threading
import numpy as np
from sosie.tasks.memory import hold_no_large_blocks

def held():
    status = open("/proc/self/status").read()
    return int(status.split("VmRSS:")[1].split()[0]) // 1024

def work():
    blocks = [np.ones(2**21) for _ in range({HELD} // 16)]
    most.append(held())
    del blocks
    some = [np.ones(2**21 - 2**18) for _ in range(2)]

most = []
hold_no_large_blocks()
before = held()
for _ in range(2):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
print(before, most[0], held())
"""


def test_large_blocks_of_a_thread_that_ended_are_held_no_longer() -> None:
    run = subprocess.run([sys.executable, "-c", LARGE_BLOCKS], capture_output=True, text=True, check=True)
    before, most, after = map(int, run.stdout.split())
    assert most - before > HELD / 2
    assert after - before < HELD / 8
