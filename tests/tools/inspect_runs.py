"""Runs of Inspect against the loopback server, which knows the right answers to the made-up data sets."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DATA
from tests.loopback import Answer, Loopback, Reply, Request, prompt_text, serving

PROVIDER = "loop"
MODEL = f"openai-api/{PROVIDER}/m"

IGNORED = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of Inspect's own imports
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Inspect leaves sockets to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

# what tells the data set in a prompt, and what is right for it
RIGHT = json.loads((DATA / "inspect_answers.json").read_text("utf-8"))


def right(request: Request) -> Reply:
    text = prompt_text(request)
    answer = next(value for sign, value in RIGHT if sign in text)
    return Reply(answer if isinstance(answer, str) else f"```json\n{json.dumps(answer)}\n```")


@contextmanager
def loopback(answer: Answer = right) -> Iterator[Loopback]:
    """The server as a provider of Inspect."""
    with serving(answer) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv(f"{PROVIDER.upper()}_BASE_URL", server.url)
        patch.setenv(f"{PROVIDER.upper()}_API_KEY", "none")
        yield server


def run_tasks(tasks: Any, logs: Path, model: Any = MODEL, **options: Any) -> list[Any]:
    """The logs of tasks, read from their files."""
    from inspect_ai import eval as run  # noqa: PLC0415  a tool with an environment of its own
    from inspect_ai.log import read_eval_log  # noqa: PLC0415
    from inspect_ai.model import get_model  # noqa: PLC0415

    options = {"max_retries": 0, **options}
    asked = get_model(model, memoize=False) if isinstance(model, str) else model  # each server has its own address
    actual = run(tasks, model=asked, log_dir=str(logs), display="none", **options)
    locations = [log.location for log in actual]
    del actual
    gc.collect()  # what Inspect leaves open is reported here, where tests ignore it
    return [read_eval_log(location) for location in locations]


def their_task(targets: dict[Any, Any], scorer: Any) -> Any:
    """A task of somebody else; each input is the id of its sample."""
    from inspect_ai import Task  # noqa: PLC0415
    from inspect_ai.dataset import Sample  # noqa: PLC0415

    samples = [Sample(input=str(name), target=target, id=name) for name, target in targets.items()]
    return Task(dataset=samples, scorer=scorer, name="theirs")


def values(log: Any, scorer: str = "anls_star") -> dict[str, float]:
    return {str(sample.id): sample.scores[scorer].value for sample in log.samples}


def figures(log: Any, scorer: str = "anls_star") -> dict[str, float]:
    (score,) = (each for each in log.results.scores if each.name == scorer)
    return {name: metric.value for name, metric in score.metrics.items()}
