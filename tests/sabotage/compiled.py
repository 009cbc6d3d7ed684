"""Defects of compiled passes: their text is changed, compiled anew and loaded in place of what was installed."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from tests.sabotage.defect import Defect, InvalidDefect, edited, module_path

AREA = "compiled passes"
TESTS = "inside/test_compiled.py"
LENT = "inside/test_lent_rows.py"
MARKS = "inside/test_marks.py"
PARTS = "inside/test_couples_in_parts.py"
DIGITS = "inside/test_same_digits.py"
BORROWED = "estimators/linear/test_borrowed_arrays.py"
ROWS = "rows/test_compiled_cells.py"
CLASSES = "inside/test_compiled_classes.py"


@dataclass(frozen=True, slots=True)
class Source:
    """A file in C, and what is made of it."""

    package: str
    name: str

    @property
    def module(self) -> str:
        return f"equipoise.{self.package}._{self.name}"

    @property
    def file(self) -> str:
        return f"{self.name}.c"


PASSES, CELLS = Source("inside.compiled", "passes"), Source("rows.compiled", "cells")


@dataclass(frozen=True, slots=True)
class Recompiled:
    """Injects compiled code in which one passage is another."""

    old: str
    new: str
    source: Source = PASSES

    def broken(self) -> str:
        """The text with its one occurrence of `old` replaced."""
        path = module_path(self.source.package).with_name(self.source.file)
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1 or self.old == self.new:
            raise InvalidDefect(
                f"{self.source.file}: the passage to break occurs {text.count(self.old)} times, not once"
            )
        return text.replace(self.old, self.new)

    def __call__(self) -> None:
        cc = shutil.which("cc")
        if cc is None:
            raise InvalidDefect(f"{self.source.file}: no C compiler")
        folder = Path(tempfile.mkdtemp())
        source, target = folder / self.source.file, folder / f"_{self.source.name}.abi3.so"
        source.write_text(self.broken(), encoding="utf-8")
        words = ["-std=gnu11", "-O1", "-ffp-contract=off", "-w", "-DONE_PROCESSOR", "-shared", "-fPIC"]
        include = f"-I{sysconfig.get_path('include')}"
        if subprocess.run([cc, *words, include, str(source), "-o", str(target), "-lm"], check=False).returncode:
            raise InvalidDefect(f"{self.source.file}: cannot be compiled once it is broken")
        sys.meta_path.insert(0, _Finder(self.source.module, target))


class _Finder(MetaPathFinder):
    """Answers for the broken code before anybody else is asked."""

    def __init__(self, module: str, target: Path) -> None:
        self._module, self._target = module, target

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return importlib.util.spec_from_file_location(fullname, self._target) if fullname == self._module else None


def _defect(name: str, broken: str, harm: str, old: str, new: str, *tests: str) -> Defect:
    return Defect(name, AREA, broken, harm, Recompiled(old, new), tests)


def _of_cells(name: str, broken: str, harm: str, old: str, new: str, *tests: str) -> Defect:
    return Defect(name, AREA, broken, harm, Recompiled(old, new, CELLS), tests)


MOVES = "One record can move a gradient further than its noise was made for."
DEEPER = "A term passes through more additions than the certificate counts."

DEFECTS = (
    _defect(
        "a-mark-adds-words-up",
        "Halves of a word that rows join do not change places.",
        "Signs that are turned two by two leave the mark as it was: a part that is made anew, and otherwise, is taken.",
        "words[j] = word << 32 | word >> 32;",
        "words[j] = word;",
        f"{MARKS}::test_changes_that_a_sum_would_miss_are_noticed",
    ),
    _defect(
        "a-mark-misses-a-row",
        "In a pass the first row of a block does not join the mark.",
        "It may be another when its part is made anew.",
        "                    if (marked)\n",
        "                    if (marked && first + i)\n",
        f"{MARKS}::test_whatever_is_asked_first_leaves_the_same_mark",
    ),
    _defect(
        "a-mark-forgets-the-order",
        "All rows join the same words, each by itself.",
        "A part whose rows have changed places is taken for what it was.",
        "        word ^= words[j];\n        word = (word & 0xffffffffu)",
        "        words[j] ^= word;\n        continue;\n        word = (word & 0xffffffffu)",
        f"{MARKS}::test_changes_that_a_sum_would_miss_are_noticed",
    ),
    _defect(
        "a-pass-forgets-the-cap",
        "A compiled pass takes the logistic slope as it is.",
        MOVES,
        "(scores[i] > cap ? cap : scores[i])",
        "scores[i]",
        f"{TESTS}::test_slopes_are_the_losses",
    ),
    _defect(
        "a-pass-forgets-the-threshold",
        "A compiled pass lets residuals pull without bound.",
        MOVES,
        "found > law->b ? law->b : found);\n            break;\n        case MARGIN",
        "found);\n            break;\n        case MARGIN",
        f"{TESTS}::test_slopes_are_the_losses",
    ),
    _defect(
        "a-pass-leaves-long-rows-as-they-are",
        "A compiled pass over lent rows multiplies none of them.",
        MOVES,
        "length > how->stays ? how->lands / length : 1.0",
        "1.0",
        f"{LENT}::test_lent_rows_are_shortened_by_the_same_factors",
        f"{BORROWED}::test_every_row_of_a_sum_is_within_its_bound",
    ),
    _defect(
        "a-pass-shortens-the-score-alone",
        "A lent row's score is that of the clipped row, what it adds is the row as it is.",
        MOVES,
        "                if (lent)\n                    r[i] *= factors[i];",
        "",
        f"{LENT}::test_lent_rows_are_shortened_by_the_same_factors",
        f"{BORROWED}::test_every_row_of_a_sum_is_within_its_bound",
    ),
    _defect(
        "a-pass-does-not-measure-again",
        "Lent rows that are others in a later pass are not noticed.",
        "The certificate is about another table than the steps before it.",
        "return OTHERS;",
        ";",
        f"{LENT}::test_a_row_of_another_length_is_noticed",
        f"{DIGITS}::test_rows_that_are_written_to_are_noticed_whichever_thread_meets_them",
    ),
    _defect(
        "a-pass-takes-rows-that-no-factor-serves",
        "Rows whose squares overflow, or that hold a missing cell, are summed as they are.",
        "One record makes numbers of none of a gradient.",
        "return ODD;",
        ";",
        f"{LENT}::test_rows_that_no_factor_serves_are_told",
    ),
    _defect(
        "a-pass-reads-a-lent-row-twice",
        "What is measured is one reading of a lent row, what is summed another.",
        "A row that is written to in between is longer than what it was measured to be.",
        "const double *x = copied ? tile : (const double *)from;\n"
        "            Py_ssize_t stride = copied ? columns : table->stride / (Py_ssize_t)sizeof(double);",
        "const double *x = singles ? tile : (const double *)from;\n"
        "            Py_ssize_t stride = singles ? columns : table->stride / (Py_ssize_t)sizeof(double);",
        f"{LENT}::test_what_is_summed_is_what_was_measured",
    ),
    _defect(
        "a-pass-does-not-count-what-records-count",
        "A compiled pass over rows takes every record once.",
        "Plans for evened records say another thing than what is summed; nothing else, so it is a wrong card.",
        "                if (known->weights)\n                    r[i] *= known->weights[first + i];",
        "",
        f"{TESTS}::test_gradients_are_numpys",
    ),
    _defect(
        "a-pass-has-no-groups",
        "A compiled pass adds all rows up in one go.",
        DEEPER,
        "        flush(sum, total, columns + 1);\n    }\n    total[columns] *= constant;\n    return DONE;",
        "    }\n    flush(sum, total, columns + 1);\n    total[columns] *= constant;\n    return DONE;",
        f"{TESTS}::test_long_columns_are_summed_in_groups",
    ),
    _defect(
        "a-pass-has-no-runs",
        "A compiled pass adds a long row's products up in one go.",
        DEEPER,
        "RUN = 4096",
        "RUN = 1 << 30",
        f"{TESTS}::test_scores_of_long_rows_are_summed_in_runs",
    ),
    _defect(
        "a-pass-of-classes-forgets-the-bound",
        "A compiled pass of several classes takes clipped slopes as they are.",
        MOVES,
        "length > law->bound ? law->bound / length : 1.0",
        "1.0",
        f"{CLASSES}::test_no_slope_is_longer_than_its_loss_allows",
    ),
    _defect(
        "a-pass-of-classes-forgets-the-cap",
        "A compiled pass of several classes holds no chance of the own class.",
        MOVES,
        "held = mine[i] < least * all ? 1.0 : 0.0",
        "held = least > all ? 1.0 : 0.0",
        f"{CLASSES}::test_no_slope_is_longer_than_its_loss_allows",
        f"{CLASSES}::test_slopes_are_the_losses",
    ),
    _defect(
        "a-pass-of-classes-leaves-long-rows-as-they-are",
        "What a lent row of several classes adds is the row as it is.",
        MOVES,
        "                    constants += to[i];\n                    to[i] *= factors[i];",
        "                    constants += to[i];",
        f"{CLASSES}::test_lent_rows_are_shortened",
    ),
    _defect(
        "a-pass-of-classes-reads-a-lent-row-twice",
        "What is measured is one reading of a lent row of several classes, what is summed another.",
        "A row that is written to in between is longer than what it was measured to be.",
        "pull(held, stride, count, columns, to, sum + a * width);",
        "pull(singles ? held : (const double *)(table->rows + first * table->stride), singles ? stride : "
        "table->stride / 8, count, columns, to, sum + a * width);",
        f"{CLASSES}::test_what_is_summed_is_what_was_measured",
    ),
    _defect(
        "a-pass-of-classes-joins-no-mark",
        "Lent rows of several classes join no mark when they are met.",
        "A part of another table, made anew by a worker, is taken for the first.",
        "                if (how->marks.words)\n"
        "                    join(&how->marks, first + i, tile + i * columns, columns);\n",
        "",
        f"{CLASSES}::test_lent_rows_join_the_mark_that_they_join_otherwise",
    ),
    _defect(
        "a-pass-of-classes-does-not-count-what-records-count",
        "A compiled pass of several classes takes every record once.",
        "Plans for evened records say another thing than what is summed; nothing else, so it is a wrong card.",
        "to[i] *= known->weights[first + i];",
        ";",
        f"{CLASSES}::test_gradients_are_numpys",
    ),
    _defect(
        "a-pass-of-classes-has-no-groups",
        "A compiled pass of several classes adds all rows up in one go.",
        DEEPER,
        "        flush(sum, total, outputs * width);\n    }\n",
        "    }\n    flush(sum, total, outputs * width);\n",
        f"{CLASSES}::test_long_rows_and_long_columns_are_summed_in_runs_and_groups",
    ),
    _defect(
        "a-pass-follows-places-outside-the-table",
        "A compiled pass reads and writes wherever a sparse row's places say.",
        "Numbers of other people's in memory enter a sum.",
        "            if (a >= columns)\n                return 0;\n            part[0]",
        "            part[0]",
        f"{TESTS}::test_nothing_outside_a_sparse_table_is_touched",
    ),
    _defect(
        "marks-of-the-low-half-alone",
        "Compiled fingerprints of queries leave the high halves of numbers out.",
        "Two questions are taken for one, and the second is told the first one's answer.",
        "words[j] ^ (words[j] >> 32)",
        "words[j] & 0xFFFFFFFF",
        f"{TESTS}::test_fingerprints_are_numpys",
    ),
    Defect(
        "lent-rows-are-met-anew-in-every-pass",
        AREA,
        "What lent rows measure is forgotten after a pass.",
        "The certificate is about another table than the steps before it.",
        edited(
            "inside.design.lent",
            ("        if first:\n            self.known.", "        if False:\n            self.known."),
        ),
        (f"{DIGITS}::test_rows_that_are_written_to_are_noticed_whichever_thread_meets_them",),
    ),
    Defect(
        "a-hinge-is-swept-with-half-its-corner",
        AREA,
        "Compiled passes are told another width of the hinge's corner.",
        "The certificate is about another loss than the plan's.",
        edited("inside.compiled.slopes", ("1 / (2 * loss.width), 1 + loss.width", "1 / loss.width, 1 + loss.width")),
        (f"{TESTS}::test_slopes_are_the_losses",),
    ),
    _defect(
        "a-part-of-couples-with-others-labels",
        "Rows of an additive model's later parts are compared with the labels of the first.",
        "A record's label decides what others add to a sum, so one record moves it many times as far.",
        "known->labels + first, known",
        "known->labels, known",
        f"{PARTS}::test_one_call_has_the_digits_of_parts_that_threads_share_out",
    ),
    _defect(
        "a-part-of-couples-counted-by-others-lengths",
        "Rows of an additive model's later parts count as those of the first do.",
        MOVES,
        "known->weights ? known->weights + first : NULL",
        "known->weights",
        f"{PARTS}::test_one_call_has_the_digits_of_parts_that_threads_share_out",
    ),
    _defect(
        "a-tile-of-couples-looked-at-by-its-first-row",
        "Whether places lie within the slots is asked of one row of those that are summed together.",
        "A place from elsewhere is followed to memory that is no slot.",
        "count * each, slots))",
        "each, slots))",
        f"{PARTS}::test_a_place_beyond_the_last_slot_is_met_in_every_row",
    ),
    _of_cells(
        "columns-left-out-of-a-rows-length",
        "Compiled measuring by columns leaves out those that do not fill four.",
        "Rows longer than their bound count as they are.",
        "for (; j < width; j++) {\n            const double *a",
        "for (; j + 1 < width; j++) {\n            const double *a",
        f"{ROWS}::test_rows_by_columns_measure_what_they_are",
        f"{ROWS}::test_rows_by_columns_are_brought_within_their_bound",
    ),
    _of_cells(
        "a-compiled-place-beyond-the-bound",
        "Numbers above a column's high bound are placed beyond 1 by compiled steps.",
        "One cell takes the whole length of its row, and a fit sees others than a prediction without a compiler does.",
        "to[i] = to[i] > 1.0 ? 1.0 : to[i];",
        ";",
        f"{ROWS}::test_places_are_numpys_to_the_last_bit",
    ),
    _of_cells(
        "a-compiled-gap-is-no-number",
        "A missing cell stays NaN in compiled steps.",
        "Its whole row counts as nothing instead of one cell of it.",
        "(to[i] == to[i] ? to[i] : line.fill)",
        "to[i]",
        f"{ROWS}::test_places_are_numpys_to_the_last_bit",
    ),
    _of_cells(
        "compiled-queries-measured-and-multiplied-apart",
        "A query is multiplied in one reading of the caller's memory and measured in another.",
        "Lengthened in between, its answer moves by more than the noise is for.",
        "        squares[i] = length;\n    }\n",
        "        (void)length;\n    }\n    for (Py_ssize_t i = 0; i < count; i++) {\n        squares[i] = 0.0;\n"
        "        for (Py_ssize_t j = 0; j < width; j++) {\n"
        "            double x = ((const volatile double *)(rows - (count - i) * stride))[j];\n"
        "            squares[i] += x * x;\n        }\n    }\n",
        "gate/answers/test_linear_answers.py::test_compiled_steps_measure_the_row_that_they_multiply",
    ),
    _of_cells(
        "compiled-queries-a-little-long",
        "Queries that are a little too long are compared as they are.",
        "Two questions that count as the same are paid for twice.",
        "norms[i] = norms[i] > stays ? norms[i] : lands;",
        "norms[i] = norms[i] > 1.001 * stays ? norms[i] : lands;",
        "rows/test_shorten.py::test_rows_at_the_line_stay_or_are_shortened_alike",
    ),
)
