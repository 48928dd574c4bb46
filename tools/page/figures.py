"""Figures as SVG to stand within a page: its colours are the page's CSS variables, so that they
change with its scheme, and its names are made unique among several figures of a page."""

import io
import logging
import random
import re
import warnings

# The first use of a home that cannot be written, or of new fonts, is no matter for stderr.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

from matplotlib import dates, rc_context, ticker  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from report.percentiles import percentile  # noqa: E402
from report.render import duration, plain  # noqa: E402

# What matplotlib is told, and what stands in the page instead of it.
_INK, _AXIS, _GRID = "#010203", "#010204", "#010205"
SERIES = 6  # colours of the page; more targets take them in turn
_COLOURS = {_INK: "var(--ink)", _AXIS: "var(--grid)", _GRID: "var(--line)"}
_COLOURS |= {f"#0102{16 + i:02x}": f"var(--series-{i + 1})" for i in range(SERIES)}
_MARKERS = ("o", "s", "^", "D", "v", "P")

_WIDTH = 4.3  # inches of 72 units: about a phone's width, so that letters keep their size there
_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "the same names each time",
          "font.family": "sans-serif", "font.size": 10, "text.color": _INK,
          "axes.edgecolor": _AXIS, "axes.labelcolor": _INK, "xtick.color": _INK,
          "ytick.color": _INK, "grid.color": _GRID, "axes.spines.top": False,
          "axes.spines.right": False, "text.parse_math": False}


def distribution(samples, name):
    """A row for each target, by name: every call as a mark, the quarter to three quarters as a box,
    the median as a line and the p95 as a tick, on a logarithmic axis of time."""
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 0.5 + 0.42 * len(samples)), layout="constrained")
        axes = figure.subplots()
        scatter = random.Random(0)  # the same file, the same figure
        # A clock's tick may be longer than the call.
        drawn = [[max(ns, 0.5) for ns in ordered] for ordered in samples.values()]
        for row, ordered in enumerate(drawn):
            colour = _series(row)
            at = -row
            heights = [at - 0.05 - 0.25 * scatter.random() for _ in ordered]
            axes.plot(ordered, heights, _MARKERS[row % SERIES],
                      color=colour, markersize=4.2, alpha=0.75, markeredgewidth=0)
            low, high = percentile(ordered, 25), percentile(ordered, 75)
            axes.barh(at + 0.17, high - low, left=low, height=0.24, color=colour, alpha=0.35)
            for percent, width in ((50, 2.5), (95, 1.2)):
                axes.plot([percentile(ordered, percent)] * 2, [at + 0.02, at + 0.32],
                          color=colour, linewidth=width)
        axes.set_ylim(-len(samples) + 0.6, 0.42)
        axes.set_yticks([-row for row in range(len(samples))], [_text(one) for one in samples])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        every = [ns for ordered in drawn for ns in ordered]
        _time_axis(axes.xaxis, min(every), max(every))
        return _svg(figure, name)


def course(courses, name):
    """A line for each target over the dates of its runs; a step is a dashed line."""
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 2.2), layout="constrained")
        axes = figure.subplots()
        every = []
        for row, (label, one) in enumerate(courses):
            measured = one.measured()
            medians = [max(point.figure(50), 0.5) for point in measured]
            every += medians
            axes.plot([point.date for point in measured], medians, color=_series(row),
                      marker=_MARKERS[row % SERIES], markersize=4, linewidth=1.2,
                      label=" " + _text(label))  # one that begins with _ would be left out
            for place in one.steps:
                axes.axvline(one.points[place].date, color=_series(row), linewidth=1,
                             linestyle="--")
        locator = dates.AutoDateLocator(minticks=2, maxticks=4)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
        _time_axis(axes.yaxis, min(every), max(every))
        if len(courses) > 1:
            axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncol=3,
                        borderaxespad=0, handlelength=1.5, columnspacing=1)
        return _svg(figure, name)


def _time_axis(axis, least, most):
    """Logarithmic, with a few times to read."""
    axes = axis.axes
    scale, limit = ((axes.set_xscale, axes.set_xlim) if axis is axes.xaxis
                    else (axes.set_yscale, axes.set_ylim))
    scale("log")
    limit(least / 1.15, most * 1.15)
    for above, locator in ((1000, ticker.LogLocator(numticks=6)),
                           (20, ticker.LogLocator(subs=(1.0, 3.0), numticks=8)),
                           (3, ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=8)),
                           (0, ticker.MaxNLocator(4))):
        if most / least > above:
            axis.set_major_locator(locator)
            break
    axis.set_major_formatter(ticker.FuncFormatter(lambda ns, _: _tick(ns)))
    axis.set_minor_locator(ticker.NullLocator())
    axes.grid(axis="x" if axis is axes.xaxis else "y", linewidth=0.6)
    axes.set_axisbelow(True)


def _tick(ns):
    """As short as it is: 200 µs, 1.5 ms."""
    number, unit = duration(ns).split()
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}"


def _series(row):
    return f"#0102{16 + row % SERIES:02x}"


def _text(string):
    """What a font can be asked for."""
    return plain(string).encode("utf-8", "backslashreplace").decode()


def _svg(figure, name):
    out = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of letters that its own fonts lack
        figure.savefig(out, format="svg", transparent=True)
    text = out.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # What is within a page needs no name spaces, and takes its size from there.
    text = re.sub(r' (xmlns(:\w+)?|width|height|version)="[^"]*"', "", text.split(">", 1)[0]) \
        + ' aria-hidden="true" focusable="false">' + text.split(">", 1)[1]
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.DOTALL)

    def in_page(tag):
        made = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", tag[0])
        return re.sub("|".join(_COLOURS), lambda colour: _COLOURS[colour[0]], made)

    # Names from the run stand between tags.
    return re.sub("<[^>]+>", in_page, text)
