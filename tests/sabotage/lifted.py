"""Defects of lifted rows: rows too long, maps that know the records, tasks read off the table."""

from __future__ import annotations

from tests.sabotage.defect import Defect, edited

AREA = "lifted rows"
FOURIER = "rows/test_fourier.py"
TASKS = "rows/test_tasks.py"
KERNEL = "estimators/kernel/test_kernel_classifier.py"
MULTI = "estimators/multitask/test_multi_task_regressor.py"

DEFECTS = (
    Defect(
        "fourier-rows-of-norm-root-two",
        AREA,
        "Cosines and sines are multiplied by √(2/D), as for cosines with random phases.",
        "Rows are √2 long where the noise is for one; what clips them then scores other rows than it learnt.",
        edited("rows.lifts.fourier", ("/ math.sqrt(self.frequencies)", "/ math.sqrt(self.frequencies / 2)")),
        (f"{FOURIER}::test_every_row_has_norm_one_less_a_hair",),
    ),
    Defect(
        "fourier-no-room-for-rounding",
        AREA,
        "Rows have norm one and no hair less.",
        "In doubles some are longer than one, and whether they are clipped depends on how they round.",
        edited("rows.lifts.fourier", ("(1 - 4 * clip_margin(self.features)) / math", "1.0 / math")),
        (f"{FOURIER}::test_every_row_has_norm_one_less_a_hair",),
    ),
    Defect(
        "fourier-bandwidth-of-the-table",
        AREA,
        "The bandwidth is multiplied by the mean length of the rows at hand.",
        "One record changes what all others become.",
        edited(
            "rows.lifts.fourier",
            (
                "self.bandwidth * self.bounds.row_norm, self.width",
                "self.bandwidth * self.bounds.row_norm * (1 + float(abs(matrix).mean())), self.width",
            ),
        ),
        (f"{FOURIER}::test_a_row_is_lifted_as_it_would_be_alone",),
    ),
    Defect(
        "fourier-rounds-with-the-others",
        AREA,
        "Phases are one product of the whole table.",
        "How a row is rounded depends on how many rows there are, which add-remove keeps secret.",
        edited("rows.lifts.fourier", ("phases = matrix[part] @ waves", "phases = matrix[part].toarray() @ waves")),
        (f"{FOURIER}::test_a_row_is_lifted_as_it_would_be_alone",),
    ),
    Defect(
        "fourier-seed-from-the-rows",
        AREA,
        "The seed is a digest of the table.",
        "It is published: who guesses the table can check the guess.",
        edited(
            "estimators.kernel.kernel_classifier",
            ("seed=public_seed(bits)", "seed=int(abs(float(np.sum(rows))) * 2**40) % 2**60"),
        ),
        (f"{KERNEL}::test_frequencies_are_the_same_whatever_the_records_are",),
    ),
    Defect(
        "tasks-both-copies-whole",
        AREA,
        "A row stands in both copies at its whole length.",
        "Rows are √2 longer than the norm that the noise is for.",
        edited(
            "rows.lifts.tasks",
            (
                "return hair * math.sqrt(self.coupling), hair * math.sqrt(1 - self.coupling)",
                "return hair * (self.coupling > 0), hair * (self.coupling < 1)",
            ),
        ),
        (f"{TASKS}::test_a_listed_task_keeps_the_length_of_its_row",),
    ),
    Defect(
        "tasks-constant-uncounted",
        AREA,
        "The constant column of the copies is not counted in their norm.",
        "Rows are longer than the norm that the noise is for.",
        edited(
            "rows.lifts.tasks",
            (
                "up(math.hypot(self.bounds.row_norm if self.width > 1 else 0.0, self.intercept), ONE_STEP)",
                "up(self.bounds.row_norm, ONE_STEP)",
            ),
        ),
        (f"{TASKS}::test_a_listed_task_keeps_the_length_of_its_row",),
    ),
    Defect(
        "tasks-unlisted-is-an-error",
        AREA,
        "A row of a task that is not listed is refused.",
        "The error says, with certainty, that such a row is there.",
        edited(
            "rows.lifts.tasks",
            (
                "        return np.minimum(found, len(self.tasks))",
                '        if (found >= len(self.tasks)).any():\n            raise InvalidInput("tasks: unknown")\n'
                "        return np.minimum(found, len(self.tasks))",
            ),
        ),
        (f"{MULTI}::test_a_task_nobody_listed_or_that_is_missing_is_no_error",),
    ),
    Defect(
        "tasks-mean-of-one-task",
        AREA,
        "Each row of a task is weighed by one over the share of its task, as if means were taken task by task.",
        "A row of a small task moves the model by far more than the noise is for.",
        edited(
            "rows.lifts.tasks",
            (
                "        return lifted.toarray() if self.features <= FEW_FEATURES else lifted",
                "        part = np.bincount(self.places(cells), minlength=len(self.tasks) + 1) / max(1, len(cells))\n"
                "        lifted = lifted * (1 / np.maximum(part[self.places(cells)], 0.1))[:, None]\n"
                "        return csr_array(lifted).toarray() if self.features <= FEW_FEATURES else csr_array(lifted)",
            ),
        ),
        (f"{TASKS}::test_a_listed_task_keeps_the_length_of_its_row",),
    ),
)
