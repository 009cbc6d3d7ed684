"""A prediction API under audit, from the street: members told from others, the same question asked twice, the budget.

The protocol: `POST {address}/predict` with {"rows": [[…], …]} gives {"predictions": […]}, or {"probabilities":
[[…], …], "classes": […]}; `GET {address}/card` gives the model's card, if there is one.  An address is
…/v1/models/{name}.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.audit.attacks.membership import People, membership_inference
from equipoise.audit.subjects.stored import by_membership
from equipoise.audit.verdict import Attempt, Audit, Statement
from equipoise.errors import InvalidInput

Rows = npt.NDArray[Any]

SECONDS = 30.0
BATCH = 500
"""Rows in one request."""

REPEATED = 20
"""Rows that are asked about twice."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request gave: an answer for each row, the classes if they are told, and headers that speak of budget."""

    values: Rows
    classes: tuple[Any, ...] | None
    budget: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Service:
    """A model behind an address."""

    address: str
    headers: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InvalidInput(f"{self.address}: must be an address such as http://host:8000/v1/models/income")
        object.__setattr__(self, "address", self.address.rstrip("/").removesuffix("/predict"))

    def ask(self, X: Rows) -> Answer:
        """Answers for the rows, in as few requests as the batch allows."""
        parts = [self._ask(X[start : start + BATCH]) for start in range(0, len(X), BATCH)]
        return Answer(np.concatenate([part.values for part in parts]), parts[-1].classes, parts[-1].budget)

    def _ask(self, X: Rows) -> Answer:
        body, headers = self._fetch("predict", {"rows": X.tolist()})
        given = body.get("probabilities", body.get("predictions"))
        try:
            values = np.asarray(given)
        except ValueError:
            values = np.zeros(0)
        if not isinstance(given, list) or len(values) != len(X):
            raise InvalidInput(f'{self.address}/predict: must answer {{"predictions": [one for each row]}}')
        classes = body.get("classes")
        return Answer(values, tuple(classes) if isinstance(classes, list) else None, _about_budget(headers))

    def card(self) -> dict[str, Any]:
        """The model's card; empty if the service shows none."""
        try:
            return self._fetch("card", None)[0]
        except InvalidInput:
            return {}

    def _fetch(self, what: str, body: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, str]]:
        url = f"{self.address}/{what}"
        data = None if body is None else json.dumps(body).encode()
        sent = {"Accept": "application/json", "Content-Type": "application/json", **dict(self.headers)}
        request = urllib.request.Request(url, data, sent, method="GET" if body is None else "POST")
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as reply:
                headers = dict(reply.headers.items())
                found = json.loads(reply.read().decode("utf-8"))
        except urllib.error.HTTPError as problem:
            with problem:
                raise InvalidInput(f"{url}: refused with status {problem.code}, check the address and budget") from None
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            raise InvalidInput(f"{url}: cannot be reached, check that the service runs") from None
        except ValueError:
            raise InvalidInput(f"{url}: did not answer with JSON") from None
        if not isinstance(found, dict):
            raise InvalidInput(f"{url}: must answer with a JSON object")
        return found, headers


def audit_service(
    service: Service,
    members: People,
    non_members: People,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    confidence: float = 0.999,
) -> Audit:
    """Ask about members and others; ask some of them twice.  The claim is the card's unless one is given.

    Each person is judged by the answer to one question, so the claim to compare with is that of the released model, or
    of one answer.
    """
    card = service.card()
    claim = epsilon if epsilon is not None else card.get("epsilon")
    if not isinstance(claim, int | float):
        raise InvalidInput("epsilon: the service shows no card, give the claim with --epsilon")
    slip = float(delta if delta is not None else card.get("delta", 0.0))
    X = np.concatenate([np.asarray(members[0]), np.asarray(non_members[0])])
    first = service.ask(X)
    answers = {row.tobytes(): answer for row, answer in zip(X, first.values, strict=True)}
    attack = membership_inference(
        lambda rows: np.stack([answers[row.tobytes()] for row in rows]),
        members,
        non_members,
        classes=first.classes,
        epsilon=float(claim),
        delta=slip,
        confidence=confidence,
    )
    again = service.ask(X[:REPEATED])
    attempts = (by_membership(attack), repeated(first, again))
    details = tuple((f"header {name}", value) for name, value in again.budget.items())
    mechanism, theorem = str(card.get("mechanism", "")), str(card.get("theorem", ""))
    adjacency = str(card.get("adjacency", "replace-one"))
    statement = Statement(
        service.address, "service", float(claim), slip, adjacency, mechanism=mechanism, theorem=theorem, details=details
    )
    return Audit(statement, attempts, {"people": len(X), "confidence": confidence})


def repeated(first: Answer, again: Answer) -> Attempt:
    """Fresh noise for a question asked before can be averaged away, unless it is paid for again."""
    name, count = "the same question again", len(again.values)
    if np.array_equal(first.values[:count], again.values):
        return Attempt(name, True, f"{count} questions asked a second time got the same answers.")
    differ = int(np.sum(np.any((first.values[:count] != again.values).reshape(count, -1), axis=1)))
    told = f"{differ} of {count} questions got another answer when asked again: noise can be averaged away."
    if not first.budget:
        return Attempt(name, False, f"{told} No header speaks of a budget that would pay for it.")
    if first.budget == again.budget:
        return Attempt(name, False, f"{told} The budget in the headers did not change.")
    return Attempt(name, None, f"{told} The budget in the headers changed, so the answers seem to be paid for.")


def _about_budget(headers: dict[str, str]) -> dict[str, str]:
    words = ("budget", "epsilon", "privacy")
    return {name: value for name, value in headers.items() if any(word in name.lower() for word in words)}
