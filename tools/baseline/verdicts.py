"""What a baseline says of a run, for the report's table."""

from compare import verdict as verdicts
from compare.commands import CONFIDENCE, FLOOR, measured_noise
from compare.comparison import compare
from report.table import Baseline


def against(baseline, run):
    """The report's Baseline of two Runs."""
    facts = baseline.facts
    name = (f"Baseline: {facts.get('date', 'of an unknown time')}, commit "
            f"{facts.get('commit', 'unknown')[:12]}")
    compared = compare([baseline], [run], floor=FLOOR, confidence=CONFIDENCE,
                       noise_of=measured_noise(run))
    if compared.differences:
        return Baseline({}, f"{name}; not comparable: {'; '.join(compared.differences)}.")
    found = {(pair.query, pair.target): one for pair, one in compared.judged}
    alone = sum(one.verdict == verdicts.ONLY_OLD for one in found.values())
    note = (f"{name}. Verdicts are those of shopmark compare, which also has their intervals: "
            f"same is within {FLOOR:.0%}, all hold together with {CONFIDENCE:.0%} confidence.")
    if not compared.measured_noise:
        note += (f" What runs of unchanged code differ by here is assumed to be "
                 f"{compared.noise:.0%}: shopmark aa measures it.")
    if alone:
        note += f" Cases that the baseline alone has: {alone}."
    return Baseline({key: _shown(one) for key, one in found.items()}, note)


def _shown(one):
    ratio = f" ×{one.ratio:.2f}" if one.verdict in (verdicts.SLOWER, verdicts.FASTER) else ""
    return one.verdict + ratio
