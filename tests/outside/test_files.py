from __future__ import annotations

import errno
import json
import math
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.lists.losses import EXAMPLES, classes_of, name_of

import equipoise as eq
from equipoise.errors import EquipoiseError, InvalidInput, UnreadableFile
from equipoise.outside import LinearModel, load, save
from equipoise.outside.density.files import load_density
from equipoise.outside.files import write_whole
from equipoise.outside.origin import Account, Origin
from equipoise.outside.uncertainty import MINIMISER, POPULATION, Uncertainty
from equipoise.rows import RowBounds
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.losses import Huber, Logistic, Loss, Squared, is_regression
from equipoise.theory.losses.links import OF_MANY
from equipoise.theory.losses.written import write_loss
from equipoise.theory.noise import Law

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


@pytest.fixture
def saved(binary: LinearModel, tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    save(binary, path)
    return path


def edit(path: Path, *keys: str, value: Any) -> None:
    """Overwrite one field of a saved model."""
    fields = json.loads(path.read_text())
    inner = fields
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    path.write_text(json.dumps(fields))


def assert_same(left: LinearModel, right: LinearModel) -> None:
    assert left.coef.tobytes() == right.coef.tobytes()
    assert left.intercept.tobytes() == right.intercept.tobytes()
    for name in ("kind", "estimator", "classes", "link", "loss", "guarantee", "feature_names", "why"):
        assert getattr(left, name) == getattr(right, name), name
    assert (left.uncertainty is None) == (right.uncertainty is None)
    if left.uncertainty is not None and right.uncertainty is not None:
        for name in ("estimate", "covariance"):
            assert getattr(left.uncertainty, name).tobytes() == getattr(right.uncertainty, name).tobytes(), name
        for name in ("law", "covers", "slack"):
            assert getattr(left.uncertainty, name) == getattr(right.uncertainty, name), name


def test_what_is_loaded_is_what_was_saved(
    binary: LinearModel, joint: LinearModel, regressor: LinearModel, noisy: LinearModel, tmp_path: Path
) -> None:
    correlated = replace(noisy, uncertainty=Uncertainty(np.ones((1, 3)), np.eye(3) / 3 + 0.1, Law.GAUSSIAN, POPULATION))
    for model in (binary, joint, regressor, noisy, correlated):
        model.save(tmp_path / "model.json")
        assert_same(load(tmp_path / "model.json"), model)


@given(numbers=arrays.arrays(np.float64, (2,), elements=FINITE), constant=FINITE)
def test_every_float_survives_bit_for_bit(
    numbers: Any, constant: float, guarantee: Guarantee, tmp_path_factory: pytest.TempPathFactory
) -> None:
    promise = replace(guarantee, constants={"alpha": constant})
    known = Uncertainty(np.append(numbers, 0.0)[None], np.abs([*numbers, constant]), Law.LAPLACE, MINIMISER)
    model = LinearModel(
        "regressor",
        "LinearRegression",
        numbers[None],
        numbers[:1],
        None,
        "identity",
        Squared(),
        promise,
        uncertainty=known,
    )
    path = tmp_path_factory.getbasetemp() / "exact.json"
    save(model, path)
    assert_same(load(path), model)


@pytest.mark.parametrize("labels", [(True, False), (0, 1), (0.0, 1.0), ("ä", "b\n"), (-(2**62), 7)])
def test_labels_keep_their_type(binary: LinearModel, labels: tuple[Any, Any], tmp_path: Path) -> None:
    save(replace(binary, classes=labels), tmp_path / "m.json")
    classes = load(tmp_path / "m.json").classes
    assert classes == labels
    assert [type(label) for label in classes or ()] == [type(label) for label in labels]


def test_unbounded_constant_survives(binary: LinearModel, tmp_path: Path) -> None:
    unbounded = {"coefficient norm": math.inf}
    guarantee = replace(binary.guarantee, constants=unbounded, sensitivity=math.inf, epsilon=math.inf)
    save(replace(binary, guarantee=guarantee), tmp_path / "m.json")
    assert load(tmp_path / "m.json").guarantee == guarantee


def test_file_is_standard_json_with_a_schema_number(saved: Path) -> None:
    fields = json.loads(saved.read_text(), parse_constant=lambda word: pytest.fail(word))
    assert (fields["format"], fields["schema"]) == ("equipoise-model", 8)


def test_a_file_of_schema_one_stays_readable() -> None:
    model = load(Path(__file__).parent / "model_schema_1.json")
    assert model.predict([[1.0, 0.5, -1.0]]).tolist() == ["no"]
    assert model.guarantee.epsilon == 1.0
    with pytest.raises(InvalidInput, match="standard_errors: not kept in this model, fit it again"):
        model.standard_errors()


def test_a_file_of_schema_two_stays_readable() -> None:
    model = load(Path(__file__).parent / "model_schema_2.json")
    np.testing.assert_array_equal(model.coef_, [1.5, -0.5])
    np.testing.assert_array_equal(model.standard_errors()[0], [0.5, 0.5])
    assert model.standard_errors()[1] == 0.25
    assert model.uncertainty is not None
    assert (model.covers, model.uncertainty.law, model.uncertainty.slack) == (MINIMISER, Law.SPHERICAL, 0.001)


def test_a_file_of_schema_three_stays_readable() -> None:
    model = load(Path(__file__).parent / "model_schema_3.json")
    np.testing.assert_array_equal(model.coef_, [1.5, -0.5])
    assert model.loss == Huber(0.25, label_bound=1.0, scale=1.0)


@pytest.mark.parametrize("schema", [1, 2, 3])
def test_an_older_file_does_not_clip_and_says_so(schema: int) -> None:
    model = load(Path(__file__).parent / f"model_schema_{schema}.json")
    assert model.row_bounds is None
    rows = np.full((1, model.n_features_in_), 100.0)
    np.testing.assert_array_equal(model.decision_function(rows), rows @ model.coef.ravel() + model.intercept)
    assert "predictions do not clip" in model.card().text()


def test_a_file_of_schema_four_stays_readable() -> None:
    model = load(Path(__file__).parent / "model_schema_4.json")
    assert model.row_bounds == RowBounds(1.5, ((0.0, 4.0), (-1.0, 1.0)))
    np.testing.assert_allclose(model.predict([[9.0, -7.0]]), 1.5 * 4 + 0.5 + 5.0)
    assert model.origin is None


def test_a_file_of_schema_five_stays_readable() -> None:
    model = load(Path(__file__).parent / "model_schema_5.json")
    assert model.origin == Origin("2026-02-01", "0.1.0", "a table", Account("default", 1.5, 1e-6, 3.0, 1e-6))


def test_files_of_lifted_rows_stay_readable() -> None:
    """The numbers are those of the day they were written: a seed must go on meaning the same frequencies."""
    here = Path(__file__).parent
    waves, tasks = load(here / "model_schema_6_fourier.json"), load(here / "model_schema_6_tasks.json")
    np.testing.assert_allclose(waves.decision_function([[0.5, -0.25]]), [WAVES], rtol=1e-9)
    assert waves.n_features_in_ == 2
    np.testing.assert_allclose(tasks.predict([[1.0, 0.5], [7.0, 0.5]]), TASKS, rtol=1e-9)


WAVES, TASKS = 1.2630926481047915, [0.8674733270574582, 0.4270285395096258]


def test_a_file_of_an_additive_model_stays_readable() -> None:
    model = load(Path(__file__).parent / "model_schema_5_additive.json")
    assert [shape.name for shape in model.shapes_] == ["age", "site", "age and site"]
    assert model.n_features_in_ == 2
    table = np.array([[30.0, 1.0], [99.0, 5.0], [np.nan, np.nan]])
    np.testing.assert_allclose(model.predict(table), [1 + 1 + 2 + 10.25, 1 + 2 + 7 + 12, 1 + 4 + 8 + 20])


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("shapes",), [], "shapes"),
        (("shapes", "columns"), [], "columns"),
        (("shapes", "columns", 0), {"knots": [2.0, 1.0]}, "knots"),
        (("shapes", "columns", 0), {"bends": [1.0]}, "shapes.columns"),
        (("shapes", "columns", 1), {"categories": [None]}, "shapes.columns"),
        (("shapes", "pairs", 0, "places"), [0, 9], "pairs"),
        (("shapes", "pairs", 0, "places"), [0], "shapes.pairs"),
        (("shapes", "pairs", 0, "places"), [0, -1], "shapes.pairs"),
        (("shapes", "noise"), [1.0], "noise"),
        (("coef",), [[1.0, 2.0]], "slot"),
    ],
)
def test_a_damaged_shape_makes_a_file_unreadable(place: tuple[Any, ...], value: Any, said: str, tmp_path: Path) -> None:
    fields = json.loads((Path(__file__).parent / "model_schema_5_additive.json").read_text())
    inner = fields
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    (tmp_path / "m.json").write_text(json.dumps(fields))
    with pytest.raises(UnreadableFile, match=said):
        load(tmp_path / "m.json")


def test_an_older_file_has_the_loss_that_its_estimator_had() -> None:
    first, second = (load(Path(__file__).parent / f"model_schema_{number}.json") for number in (1, 2))
    assert (first.loss, second.loss) == (Logistic(), Squared())


@pytest.mark.parametrize(
    ("make", "y"),
    [
        (lambda: eq.LogisticRegression(classes=(0, 1), slope_cap=1.0), "two"),
        (lambda: eq.LogisticRegression(classes=(0, 1, 2), slope_cap=1.0), "three"),
        (lambda: eq.LinearSVC(classes=(0, 1), smoothing=0.25), "two"),
        (lambda: eq.LinearRegression(label_bounds=(0, 5), mechanism="output"), "numbers"),
        (lambda: eq.HuberRegressor(label_bounds=(0, 5), threshold=0.5), "numbers"),
    ],
    ids=["logistic", "softmax", "rounded hinge", "squared", "huber"],
)
def test_an_older_file_of_every_estimator_is_read_with_its_very_loss(make: Any, y: str, tmp_path: Path) -> None:
    """A file of schema 2 is one of today's without its loss and bounds."""
    X, numbers = np.linspace(-1, 1, 60)[:, None], np.arange(60)
    labels = {"two": numbers % 2, "three": numbers % 3, "numbers": numbers / 12}[y]
    model = make().fit(X, labels).model_
    model.save(tmp_path / "m.json")
    fields = json.loads((tmp_path / "m.json").read_text())
    assert fields.pop("loss")["name"] == model.loss.name
    del fields["row_bounds"], fields["origin"], fields["shapes"], fields["lift"]
    (tmp_path / "m.json").write_text(json.dumps(fields | {"schema": 2}))
    found = load(tmp_path / "m.json").loss
    assert found is not None
    assert write_loss(found) == pytest.approx(write_loss(model.loss))


def test_a_loss_that_an_older_file_does_not_tell_is_not_guessed(regressor: LinearModel, tmp_path: Path) -> None:
    for estimator in ("HuberRegressor", "SomethingElse"):
        save(replace(regressor, estimator=estimator), tmp_path / "m.json")
        fields = json.loads((tmp_path / "m.json").read_text())
        del fields["loss"], fields["row_bounds"], fields["origin"], fields["shapes"], fields["lift"]
        (tmp_path / "m.json").write_text(json.dumps(fields | {"schema": 2}))
        assert load(tmp_path / "m.json").loss is None


@pytest.mark.parametrize("loss", EXAMPLES, ids=name_of)
def test_every_loss_survives_in_a_file(loss: Loss, guarantee: Guarantee, tmp_path: Path) -> None:
    classes = None if is_regression(loss) else tuple(range(classes_of(loss)))
    outputs = classes_of(loss) if loss.traits.link in OF_MANY else 1
    coef, kind = np.ones((outputs, 2)), loss.traits.task
    told = guarantee if loss.traits.potential else replace(guarantee, mechanism="noisy-gradient")
    model = LinearModel(kind, "Any", coef, np.zeros(outputs), classes, loss.traits.link, loss, told)
    save(model, tmp_path / "m.json")
    assert load(tmp_path / "m.json").loss == loss


@pytest.mark.parametrize(
    "written", ["logistic", [], {}, {"name": "logistc"}, {"name": 3}, {"name": "logistic", "width": 1.0}], ids=str
)
def test_a_loss_that_is_not_known_makes_a_file_unreadable(saved: Path, written: Any) -> None:
    edit(saved, "loss", value=written)
    with pytest.raises(UnreadableFile, match="loss"):
        load(saved)


def test_a_loss_must_go_with_kind_and_link(saved: Path) -> None:
    edit(saved, "loss", value={"name": "hinge"})
    with pytest.raises(UnreadableFile, match="loss 'hinge': does not go with kind='classifier' and link='logistic'"):
        load(saved)


@pytest.mark.parametrize("schema", [1, 2, 3, 4, 5])
def test_a_field_of_a_later_schema_does_not_belong_in_an_older_file(saved: Path, schema: int) -> None:
    edit(saved, "schema", value=schema)
    with pytest.raises(UnreadableFile, match="fields this version does not know"):
        load(saved)


def test_every_truncation_is_one_clear_line(saved: Path) -> None:
    whole = saved.read_bytes()
    for length in range(len(whole) - 2):
        saved.write_bytes(whole[:length])
        with pytest.raises(UnreadableFile, match="cut short") as caught:
            load(saved)
        assert "\n" not in str(caught.value)


def test_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"nowhere\.json: no such file"):
        load(tmp_path / "nowhere.json")


def test_folder_is_not_a_model(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read"):
        load(tmp_path)


@pytest.mark.parametrize("raw", [b"", b"[]", b"null", b'"text"', b"{}", b'{"format": "other"}', b"\xff\xfe\x00"])
def test_other_files_are_refused(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "m.json").write_bytes(raw)
    with pytest.raises(UnreadableFile, match="not a usable model"):
        load(tmp_path / "m.json")


def test_newer_schema_asks_for_an_update(saved: Path) -> None:
    edit(saved, "schema", value=9)
    with pytest.raises(UnreadableFile, match=r"schema=9: written by a newer version.*update equipoise"):
        load(saved)


@pytest.mark.parametrize("schema", [None, 0, -1, True, "1", 1.0])
def test_schema_must_be_a_whole_number(saved: Path, schema: Any) -> None:
    edit(saved, "schema", value=schema)
    with pytest.raises(UnreadableFile, match="schema: must be"):
        load(saved)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("field", ["coef", "intercept", "epsilon", "alpha"])
def test_numbers_that_are_not_finite_are_refused(saved: Path, field: str, word: str) -> None:
    value: Any = {"coef": [["?", 0, 0]], "intercept": ["?"], "epsilon": "?", "alpha": {"alpha": "?"}}[field]
    keys = {"coef": ["coef"], "intercept": ["intercept"], "epsilon": ["guarantee", "epsilon"]}
    edit(saved, *keys.get(field, ["guarantee", "constants"]), value=value)
    saved.write_text(saved.read_text().replace('"?"', word))
    with pytest.raises(UnreadableFile, match="finite"):
        load(saved)


WRONG: list[tuple[list[str], Any]] = [
    (["kind"], "ranker"),
    (["kind"], 3),
    (["link"], "identity"),
    (["estimator"], None),
    (["classes"], "ab"),
    (["classes"], ["a", None]),
    (["classes"], ["a", "a"]),
    (["classes"], [["a"], ["b"]]),
    (["feature_names"], ["age"]),
    (["feature_names"], [1, 2, 3]),
    (["intercept"], [True]),
    (["intercept"], 0.25),
    (["intercept"], []),
    (["intercept"], [10**400]),
    (["coef"], [[1, 2, 3], [1, 2]]),
    (["coef"], []),
    (["coef"], [["1", "2", "3"]]),
    (["coef"], {"0": [1, 2, 3]}),
    (["why"], "because"),
    (["guarantee"], None),
    (["guarantee", "epsilon"], "1.0"),
    (["guarantee", "epsilon"], -1),
    (["guarantee", "delta"], 1.0),
    (["guarantee", "delta_numeric"], None),
    (["guarantee", "adjacency"], "remove-ten"),
    (["guarantee", "adjacency"], ["replace-one"]),
    (["guarantee", "seeded"], 0),
    (["guarantee", "sensitivity"], -0.5),
    (["guarantee", "constants"], [1.0]),
    (["guarantee", "constants"], {"alpha": "much"}),
    (["guarantee", "notes"], [1]),
    (["guarantee", "surprise"], 1),
    (["surprise"], 1),
]


@pytest.mark.parametrize(("keys", "value"), WRONG)
def test_wrong_fields_are_one_clear_line(saved: Path, keys: list[str], value: Any) -> None:
    edit(saved, *keys, value=value)
    with pytest.raises(UnreadableFile, match=r"model\.json: not a usable model") as caught:
        load(saved)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (["law"], "cauchy"),
        (["covers"], "everything"),
        (["slack"], -1.0),
        (["slack"], None),
        (["estimate"], [1.0, 2.0, 3.0]),
        (["estimate"], [[1.0, 2.0]]),
        (["covariance"], []),
        (["covariance"], [1.0, 2.0]),
        (["covariance"], [1.0, [1.0, 2.0]]),
        (["covariance"], [1.0, 1.0, -1.0]),
        (["covariance"], [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (["covariance"], None),
        (["surprise"], 1),
        ([], []),
    ],
)
def test_wrong_uncertainty_is_one_clear_line(noisy: LinearModel, tmp_path: Path, keys: list[str], value: Any) -> None:
    path = tmp_path / "model.json"
    save(noisy, path)
    edit(path, "uncertainty", *keys, value=value)
    with pytest.raises(UnreadableFile, match=r"model\.json: not a usable model") as caught:
        load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["coef", "guarantee", "classes", "why", "uncertainty"])
def test_missing_field_is_named(saved: Path, name: str) -> None:
    fields = json.loads(saved.read_text())
    del fields[name]
    saved.write_text(json.dumps(fields))
    with pytest.raises(UnreadableFile, match=f"{name}: is missing"):
        load(saved)


def test_field_written_twice_is_refused(saved: Path) -> None:
    saved.write_text(saved.read_text().replace('"kind"', '"kind": "regressor", "kind"', 1))
    with pytest.raises(UnreadableFile, match="twice"):
        load(saved)


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 200_000)
    with pytest.raises(UnreadableFile, match="damaged"):
        load(tmp_path / "deep.json")


@given(st.binary(max_size=200))
def test_noise_never_gives_another_error(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "noise.json"
    path.write_bytes(raw)
    with pytest.raises(EquipoiseError):
        load(path)


def test_full_disk_leaves_the_old_model_whole(
    binary: LinearModel, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = saved.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save(replace(binary, coef=binary.coef * 2), saved)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_saving_replaces_and_leaves_nothing_beside(binary: LinearModel, saved: Path) -> None:
    save(replace(binary, coef=binary.coef * 2), saved)
    assert load(saved).coef[0, 1] == -4.0
    assert os.listdir(saved.parent) == [saved.name]


def test_a_saved_file_has_ordinary_permissions(tmp_path: Path) -> None:
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("x")
    write_whole(tmp_path / "written", "x")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (ordinary, tmp_path / "written")}
    assert len(modes) == 1


def test_saving_through_a_link_changes_the_file_behind_it(binary: LinearModel, saved: Path) -> None:
    link = saved.parent / "link.json"
    link.symlink_to(saved)
    save(replace(binary, estimator="Other"), link)
    assert link.is_symlink()
    assert load(saved).estimator == "Other"


@pytest.mark.parametrize("start", ["age,sex\n1,f\n", "name: model\n", "\x89PNG", "  <html>"])
def test_what_never_was_json_is_not_told_to_be_cut_short(tmp_path: Path, start: str) -> None:
    (tmp_path / "t.csv").write_text(start, encoding="latin-1")
    with pytest.raises(UnreadableFile, match="it is no JSON, give the file of a saved model") as caught:
        load(tmp_path / "t.csv")
    assert "\n" not in str(caught.value)
    with pytest.raises(UnreadableFile, match="it is no JSON, give the file of a saved density"):
        load_density(tmp_path / "t.csv")


def test_an_object_that_ends_early_is_cut_short_behind_a_mark_of_order_and_blanks_too(tmp_path: Path) -> None:
    for start in (b"", b" \n", b"\xef\xbb\xbf"):
        (tmp_path / "m.json").write_bytes(start + b' {"format": ')
        with pytest.raises(UnreadableFile, match="cut short"):
            load(tmp_path / "m.json")
