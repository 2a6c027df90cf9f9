"""Refusals of the server."""

import json
from typing import Any, TypeVar

import httpx

from .generated.models import Problem
from .generated.types import Response

T = TypeVar("T")


class ProblemError(Exception):
    """The server refused a request. `problem.code` never changes; without a problem document `problem` is None."""

    def __init__(self, status: int, problem: Problem | None) -> None:
        super().__init__(f"{status} {problem.code}: {problem.detail}" if problem else f"{status}")
        self.status = status
        self.problem = problem


def accepted(kind: type[T], answer: Response[Any]) -> T:
    """The body of a successful answer. Raises a `ProblemError` for any other answer."""
    if isinstance(answer.parsed, kind):
        return answer.parsed
    raise ProblemError(answer.status_code, answer.parsed if isinstance(answer.parsed, Problem) else None)


def refusal(answer: httpx.Response) -> ProblemError:
    """The error for an answer that is not of a generated function."""
    is_problem = "json" in answer.headers.get("Content-Type", "")
    return ProblemError(answer.status_code, Problem.from_dict(json.loads(answer.read())) if is_problem else None)
