"""The pictures of the warfarin study."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from equipoise.studies.common import look
from equipoise.studies.warfarin.methods import BY_KEY
from equipoise.studies.warfarin.summary import Summary

MSE = "mean squared error of √(mg a week)"
INVERSION = "VKORC1 genotypes guessed right (%)"


@dataclass(frozen=True, slots=True)
class Pen:
    """How the line of one method is drawn."""

    colour: str
    marker: str = "o"
    style: str = "-"


PENS = {
    "functional": Pen(look.VERMILION, "s"),
    "histogram": Pen(look.GREY, "v"),
    "tuned": Pen(look.ORANGE, "^"),
    "tuned-large": Pen(look.ORANGE, "v", "--"),
    "tuned-printed": Pen(look.ORANGE, "x", ":"),
    "free": Pen(look.BLUE),
    "free-paper": Pen(look.SKY),
    "free-printed": Pen(look.BLUE, "x", ":"),
    "oracle": Pen(look.PURPLE, "s"),
    "oracle-printed": Pen(look.PURPLE, "x", ":"),
    "output": Pen(look.BLUE, "P", "-."),
    "objective": Pen(look.SKY, "P", "--"),
    "statistics-pure": Pen(look.PURPLE, "s", "--"),
    "statistics": Pen(look.PURPLE, "s"),
    "gradient": Pen(look.ORANGE, "^"),
    "auto-pure": Pen(look.GREEN, "D", "--"),
    "auto": Pen(look.GREEN, "D"),
}
TICKS = (0.8, 1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000, 10000)


def accuracy(summary: Summary) -> bytes:
    """MSE against ε: what the paper compares, and what else there is."""
    figure, panels = look.figure_of(2, height=6.4)
    compared = ("functional", "histogram", "tuned", "tuned-large", "free", "free-printed", "oracle")
    further = ("output", "objective", "statistics-pure", "statistics", "gradient", "auto-pure", "auto")
    _against_epsilon(panels[0], summary, compared, "mse")
    _against_epsilon(panels[1], summary, further, "mse")
    for panel, title in zip(panels, ("What the paper compares", "What else there is"), strict=True):
        _log_scale(panel)
        look.finish(panel, f"{title}\n(lower is better)", MSE)
        _legend_below(panel)
    return look.png(figure)


def against_oracle(summary: Summary) -> bytes:
    """Data-independent choice against the oracle's, with both constants."""
    figure, panels = look.figure_of(2, height=5.6)
    kinds = {"With our constant": ("free", "free-paper", "oracle"), "As printed": ("free-printed", "oracle-printed")}
    for panel, (title, keys) in zip(panels, kinds.items(), strict=True):
        _against_epsilon(panel, summary, keys, "mse")
        look.finish(panel, title, MSE)
        _legend_below(panel)
    _same_height(panels)
    return look.png(figure)


def risk(summary: Summary) -> bytes:
    """Simulated patients."""
    figure, panels = look.figure_of(3, height=5.4)
    told = {
        "bleeding": ("Major bleedings", "relative to the stable dose"),
        "stroke": ("Strokes", "relative to the stable dose"),
        "time in range": ("Time with INR in 2 to 3", "per cent of days"),
    }
    keys = ("functional", "tuned", "free", "oracle", "auto-pure", "auto")
    for panel, (measure, (title, unit)) in zip(panels, told.items(), strict=True):
        _against_epsilon(panel, summary, keys, measure)
        look.finish(panel, title, unit)
        panel.set_xlabel("ε", fontsize=12)
        panel.tick_params(axis="x", labelsize=8)
    _legend_of_figure(figure, panels[0])
    return look.png(figure)


def inversion(summary: Summary) -> bytes:
    """The attack on the patients learnt from, and on strangers."""
    figure, panels = look.figure_of(2, height=6.0)
    keys = ("functional", "tuned", "free", "free-printed", "oracle", "auto-pure", "auto")
    titles = {"inversion": "Patients learnt from", "inversion, strangers": "Patients never seen"}
    for panel, (measure, title) in zip(panels, titles.items(), strict=True):
        _against_epsilon(panel, summary, keys, measure)
        look.finish(panel, title, INVERSION)
    _same_height(panels)
    _legend_of_figure(figure, panels[0])
    return look.png(figure)


def training_size(summary: Summary) -> bytes:
    """Privately tuned output on parts of the training rows."""
    figure, panels = look.figure_of(2)
    levels = [level for level in summary.epsilons("tuned") if len(summary.shares("tuned", level)) > 1]
    for panel, measure, title in zip(panels, ("mse", "inversion"), (MSE, INVERSION), strict=True):
        for epsilon, pen in zip(levels, (Pen(look.ORANGE, "^"), Pen(look.BLUE), Pen(look.GREEN, "D")), strict=False):
            _against_rows(panel, summary, epsilon, measure, pen)
        _baselines(panel, summary, measure)
        panel.set_xlabel("patients learnt from", fontsize=12)
        look.finish(panel, "Output, tuned privately", title)
    _legend_of_figure(figure, panels[0])
    return look.png(figure)


def _against_epsilon(axes: Axes, summary: Summary, keys: tuple[str, ...], measure: str) -> None:
    _baselines(axes, summary, measure)
    seen: set[float] = set()
    for key in keys:
        found = [(level, summary.get(key, level, measure)) for level in summary.epsilons(key)]
        known = [(level, cell.mean, cell.error) for level, cell in found if cell is not None]
        if known:
            _curve(axes, known, PENS[key], BY_KEY[key].label)
            seen |= {level for level, _, _ in known}
    look.epsilon_axis(axes, sorted(seen) or [1.0])


def _against_rows(axes: Axes, summary: Summary, epsilon: float, measure: str, pen: Pen) -> None:
    parts = summary.shares("tuned", epsilon)
    found = [(summary.rows["tuned", epsilon, part], summary.get("tuned", epsilon, measure, part)) for part in parts]
    _curve(axes, [(float(rows), cell.mean, cell.error) for rows, cell in found if cell], pen, f"ε = {epsilon:g}")


def _curve(axes: Axes, known: list[tuple[float, float, float]], pen: Pen, label: str) -> None:
    places, means, errors = zip(*known, strict=True)
    axes.errorbar(
        places,
        means,
        yerr=errors,
        color=pen.colour,
        marker=pen.marker,
        linestyle=pen.style,
        markersize=5,
        linewidth=1.8,
        capsize=3,
        label=label,
        zorder=3,
    )


def _baselines(axes: Axes, summary: Summary, measure: str) -> None:
    for key, colour, style in (("mean", look.GREY, ":"), ("open", look.BLACK, "--")):
        found = summary.get(key, 0.0, measure)
        if found is not None:
            axes.axhline(found.mean, color=colour, linestyle=style, linewidth=1.8, label=BY_KEY[key].label)


def _log_scale(axes: Axes) -> None:
    """Round marks within reach; matplotlib's own powers of ten leave a small range bare."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(FixedLocator([tick for tick in TICKS if low <= tick <= high]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _same_height(panels: list[Axes]) -> None:
    limits = [panel.get_ylim() for panel in panels]
    for panel in panels:
        panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def _legend_below(axes: Axes) -> None:
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False, fontsize=9, handlelength=4)


def _legend_of_figure(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=10, handlelength=4)
