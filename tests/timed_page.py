"""The page, with its event loop measured: `python -m tests.timed_page`.

It prints its address. For each line that it reads it waits until the queue is empty, and prints the processor time of
the longest step of the event loop since the line before.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

if __name__ == "__main__":
    steps = [0.0]
    run = asyncio.events.Handle._run  # noqa: SLF001  each step of an event loop

    def timed(handle: Any) -> None:
        """Run a step, and note how long it took."""
        begun = time.thread_time()
        run(handle)
        steps.append(time.thread_time() - begun)

    asyncio.events.Handle._run = timed  # type: ignore[assignment]  # noqa: SLF001
    from playground import page
    from playground.server import bodies

    bodies.SECONDS_OF_MARK = 0  # bodies do not wait for each other here
    demo = page.build_demo()
    assert not demo.is_running  # it is built without being served
    _, url, _ = page.serve(demo, prevent_thread_lock=True, quiet=True)
    sys.stdout.write(f"ready {url}\n")
    sys.stdout.flush()
    for _ in sys.stdin:
        while len(demo._queue) or demo._queue._asyncio_tasks:  # noqa: SLF001
            time.sleep(0.01)
        longest, steps[:] = max(steps), [0.0]
        sys.stdout.write(f"step {longest}\n")
        sys.stdout.flush()
