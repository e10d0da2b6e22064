"""Work in several processes, by the public interfaces of `multiprocessing`."""

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

_T = TypeVar("_T")
_R = TypeVar("_R")

_PORTIONS = 8  # per process: enough to share the work evenly, few enough to keep the cost of transfers low
_LARGEST = 2048  # items of a portion


def numbered_portions(items: Sequence[_T], num_proc: int) -> Iterator[tuple[int, Sequence[_T]]]:
    """Yield portions of the items, sized to keep all processes busy, each with the index of its first item."""
    size = max(1, min(_LARGEST, -(-len(items) // (num_proc * _PORTIONS))))
    return ((start, items[start : start + size]) for start in range(0, len(items), size))


def in_processes(work: Callable[[_T], _R], portions: Sequence[_T], num_proc: int) -> Iterator[_R]:
    """Yield the result of work on each portion, in their order.

    Args:
        work: a function of a module, or a partial of one, that can be pickled.
        portions: the arguments of the calls; they and the results can be pickled.
        num_proc: the number of worker processes; with 1, this process does all the work.

    Raises:
        RuntimeError: if a process dies, for example because memory runs out.
        Exception: the error of the first portion whose work raises one.
    """
    if num_proc == 1 or not portions:
        yield from map(work, portions)
        return
    with closing(_answers(work, portions, num_proc)) as answers:  # an error ends the processes at once
        for is_error, result in answers:
            if is_error:
                raise result
            yield result


def _answers(
    work: Callable[[_T], _R], portions: Sequence[_T], num_proc: int
) -> Generator[tuple[bool, Any], None, None]:
    """Yield for each portion, in their order, whether the work raised an error, and the result or the error."""
    workers = [_started(work) for _ in range(min(num_proc, len(portions)))]
    answers: dict[int, tuple[bool, Any]] = {}
    waiting, busy, idle = iter(enumerate(portions)), dict[Any, int](), [connection for connection, _ in workers]
    try:
        for number in range(len(portions)):
            while number not in answers:
                while idle and (portion := next(waiting, None)) is not None:
                    connection = idle.pop()
                    busy[connection] = portion[0]
                    connection.send(portion[1])
                done: list[Any] = wait([*busy])
                for connection in done:
                    answers[busy.pop(connection)] = connection.recv()
                    idle.append(connection)
            yield answers.pop(number)
    except (EOFError, OSError):  # the process at the other end is gone
        msg = f"one of {num_proc} scoring processes died before it was done; it may have run out of memory"
        raise RuntimeError(msg) from None
    finally:
        for _, process in workers:
            process.terminate()
        for _, process in workers:
            process.join()


def _started(work: Callable[[Any], Any]) -> tuple[Connection, BaseProcess]:
    """Start a worker process, and return the connection to it and the process."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_serve, args=(there, work), daemon=True)
    process.start()
    there.close()  # so that the connection ends with the process
    return here, process


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """Work on the portions that arrive through a connection until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the first handles it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a handler of the first process would keep a forked one alive
    while True:
        try:
            portion = connection.recv()
        except EOFError:
            return
        try:
            answer: tuple[bool, Any] = False, work(portion)
        except Exception as error:  # noqa: BLE001  the waiting process raises it
            answer = True, error
        connection.send(answer)
