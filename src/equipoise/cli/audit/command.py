"""`equipoise audit`: a saved model, an estimator or a running service under attack; a report and an exit code."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from equipoise._checks import quoted, shown
from equipoise.audit.attacks.membership import Membership, membership_inference
from equipoise.audit.attempts import audit_target
from equipoise.audit.noise.audits import noise_audit
from equipoise.audit.subjects.named import estimator_target
from equipoise.audit.subjects.service import Service, audit_service
from equipoise.audit.subjects.stored import audit_model, audit_underived
from equipoise.audit.table import CONFIDENCE, QUICK_SAMPLES, SAMPLES, audit_table, markdown
from equipoise.audit.verdict import BROKEN, SURVIVED, Attempt, Audit
from equipoise.cli import screen
from equipoise.cli.audit.data import People, read_people
from equipoise.cli.audit.report import FILES, filed, write_report
from equipoise.cli.exit_codes import Code
from equipoise.cli.places import refuse_replacing, refuse_replacing_in
from equipoise.cli.table.folder import MODEL
from equipoise.errors import InvalidInput, UnreadableFile
from equipoise.outside import LinearModel
from equipoise.outside.density.files import load_density
from equipoise.outside.files import write_whole
from equipoise.outside.simplex.model import SimplexModel
from equipoise.outside.table.files import load
from equipoise.outside.table.model import TableModel

SURVIVES, BREAKS = Code.DONE, Code.NO


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line said."""

    epsilon: float | None = None
    delta: float | None = None
    settings: tuple[str, ...] = ()
    task: str = "auto"
    rows: int | None = None
    columns: int = 1
    row_norm: float | None = None
    samples: int | None = None
    confidence: float = 0.999
    data: Path | None = None
    others: Path | None = None
    label: str | None = None
    headers: tuple[str, ...] = ()
    quick: bool = False
    force: bool = False
    as_json: bool = False


def run_audit(subject: str, out: Path, options: Options) -> int:
    """Everything the command does; 0 if the claim survived, 1 if it was broken."""
    read = Path(subject) / MODEL if (Path(subject) / MODEL).is_file() else Path(subject)
    refuse_replacing_in("out", out, FILES, options.force, (read, options.data, options.others))
    console = Console()
    audit = _audit(subject, options)
    out.mkdir(parents=True, exist_ok=True)
    written = write_report(out, audit)
    if options.as_json:
        screen.tell_json(filed(audit))
        return SURVIVES if audit.survived else BREAKS
    console.print(table(audit))
    console.print(escape(audit.words), soft_wrap=True)
    console.print(f"Written to {out}/: {', '.join(written)}", soft_wrap=True)
    return SURVIVES if audit.survived else BREAKS


def run_table(out: Path, options: Options) -> int:
    """Audit every release of the library and write the page."""
    if out.suffix != ".md":
        raise InvalidInput(
            f"out={quoted(str(out))}: the table is written to a .md file, give --out docs/reference/audit-table.md"
        )
    refuse_replacing("out", out, options.force)
    console = Console()
    samples = options.samples or (QUICK_SAMPLES if options.quick else SAMPLES)
    out.parent.mkdir(parents=True, exist_ok=True)
    with screen.counting("Auditing the library") as tick:
        rows = audit_table(samples=samples, confidence=CONFIDENCE, jobs=screen.cores(), progress=tick)
    write_whole(out, markdown(rows, samples, CONFIDENCE))
    broken = [row.name for row in rows if not row.audit.survived]
    for name in broken:
        console.print(f"BROKEN: {name}", soft_wrap=True)
    console.print(f"{len(rows) - len(broken)} of {len(rows)} claims survived. Written to {out}", soft_wrap=True)
    return BREAKS if broken else SURVIVES


def _audit(subject: str, options: Options) -> Audit:
    if subject.startswith(("http://", "https://")):
        with screen.working(f"Asking {subject}"):
            return _service(subject, options)
    path = Path(subject) / MODEL if (Path(subject) / MODEL).is_file() else Path(subject)
    if subject.endswith(".json") or path.is_file():
        with screen.working(f"Attacking {subject}"):
            return _model(path, options)
    return _estimator(subject, options)


def _service(address: str, options: Options) -> Audit:
    people = _people(options, None)
    if people is None:
        raise InvalidInput("data: a service is judged by people's records, give --data members --others non-members")
    headers = tuple(_split(header, "header") for header in options.headers)
    return audit_service(
        Service(address, headers),
        *people,
        epsilon=options.epsilon,
        delta=options.delta,
        confidence=options.confidence,
    )


def _model(path: Path, options: Options) -> Audit:
    try:
        model = load(path)
    except UnreadableFile as problem:
        if "some other file" not in str(problem):
            raise
        audit = audit_underived(load_density(path).guarantee, str(path), (("kind", "density"),))
    else:
        audit = _of_model(model, path, options)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    claim = audit.statement
    return replace(audit, statement=replace(claim, details=(*claim.details, ("SHA-256 of the file", digest))))


def _of_model(model: LinearModel | SimplexModel | TableModel, path: Path, options: Options) -> Audit:
    """A model with a schema is judged by the one inside it, which sees encoded rows and no table."""
    if isinstance(model, LinearModel):
        return audit_model(model, str(path), _membership(model, options))
    if options.data is not None or options.others is not None:
        raise InvalidInput("data, others: are for models of plain columns, leave them out for this one")
    if isinstance(model, TableModel):
        return audit_model(model.model, str(path), None)
    return audit_underived(model.guarantee, str(path), (("kind", "columns drawn"),))


def _membership(model: LinearModel, options: Options) -> Membership | None:
    people = _people(options, model.feature_names)
    if people is None:
        return None
    claim = model.guarantee
    epsilon = options.epsilon if options.epsilon is not None else claim.epsilon
    delta = options.delta if options.delta is not None else claim.delta
    return membership_inference(model, *people, epsilon=epsilon, delta=delta, confidence=options.confidence)


def _people(options: Options, features: tuple[str, ...] | None) -> tuple[People, People] | None:
    if options.data is None and options.others is None:
        return None
    if options.data is None or options.others is None:
        raise InvalidInput(
            "data, others: give both, --data with records that were in and --others with some that were not"
        )
    return read_people(options.data, options.label, features), read_people(options.others, options.label, features)


def _estimator(name: str, options: Options) -> Audit:
    target = estimator_target(
        name,
        epsilon=options.epsilon,
        delta=options.delta,
        options={key: _value(text) for key, text in (_split(each, "set") for each in options.settings)},
        task=options.task,
        rows=options.rows,
        columns=options.columns,
        row_norm=options.row_norm,
    )
    samples = options.samples or (QUICK_SAMPLES if options.quick else SAMPLES)
    with screen.counting(f"Attacking {name}") as tick:
        audit = audit_target(target, samples=samples, confidence=options.confidence, progress=tick)
    if target.ours and not options.quick:
        with screen.working("Checking the noise"):
            audit = replace(audit, attempts=(*audit.attempts, _noise()))
    return audit


def _noise() -> Attempt:
    found = noise_audit()
    told = f"{len(found.checks)} checks of laws, seeds, low bits and repetitions."
    if not found.holds:
        told += f" Failed: {', '.join(check.name for check in found.failed)}."
    return Attempt("the noise itself", found.holds, told)


def _split(text: str, option: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise InvalidInput(f"{option}={shown(text)}: must be name=value")
    return name, value


def _value(text: str) -> Any:
    """A Python literal, or text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def table(audit: Audit) -> Table:
    """What was tried, and what came of it."""
    colours = {SURVIVED: "green", BROKEN: "red"}
    claim = audit.statement
    title = f"{claim.subject}: claimed ε = {claim.epsilon:g}, δ = {claim.delta:g}"
    result = Table(title=escape(title), show_lines=True)
    for name in ("attempt", "outcome", "ε", "what came out"):
        result.add_column(name)
    for each in audit.attempts:
        colour = colours.get(each.outcome, "dim")
        measured = "" if each.measured is None else f"{each.measured:.4g}"
        result.add_row(each.name, f"[{colour}]{each.outcome}[/{colour}]", measured, escape(each.told))
    return result
