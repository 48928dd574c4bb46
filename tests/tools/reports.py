"""Makes the JSON of runs for the tests, by hand and without the code under test."""

import copy
import json


def target(**changes):
    return {"engine": "sqlite", "version": "3.40.1", "profile": "standard", "seed": 20260830,
            "clock": 1788048000, "data_digest": "0123456789abcdef",
            "transport": "in process", "isolation": "serializable", "durability": "durable",
            "settings": {}} | changes


def entry(query="order_detail", title="order detail", on="sqlite", rows=8, samples=(5, 1, 4, 2, 3),
          p50=3, p95=5, **changes):
    """An iteration entry; p50 and p95 are given by hand."""
    name = f"{query}/{on}"
    made = {"name": f"{name}/iterations:{len(samples)}/manual_time", "family_index": 0,
            "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
            "threads": 1, "iterations": len(samples),
            "real_time": sum(samples) / len(samples) / 1e6 if samples else 1.0, "cpu_time": 1.0,
            "time_unit": "ms", "query": query, "title": title, "target": on, "engine": "sqlite",
            "rows": rows, "parameters": 5, "parameter_rows": [rows, 7, 7, 8, 8], "p50": p50,
            "p95": p95, "samples": list(samples)}
    return made | changes


def failed(query="order_detail", title="order detail", on="sqlite", message="it broke", **changes):
    made = entry(query, title, on, error_occurred=True, error_message=message, **changes)
    for key in ("p50", "p95", "samples", "real_time", "cpu_time", "rows"):
        del made[key]
    return made


def aggregate(name, real_time, cpu_time, query="order_detail", on="sqlite"):
    """What Google Benchmark says of the repetitions of entry(query, on=on)."""
    beside = entry(query, on=on)["run_name"]
    return {"name": f"{beside}_{name}", "run_name": beside, "run_type": "aggregate",
            "aggregate_name": name, "query": query, "target": on, "engine": "sqlite",
            "iterations": 2, "real_time": real_time, "cpu_time": cpu_time, "time_unit": "ms"}


def document(*entries, targets=None, **ours):
    return copy.deepcopy({
        "context": {
            "date": "2026-12-01T22:04:21+00:00", "host_name": "shop",
            "executable": "shopmark-bench", "num_cpus": 2, "mhz_per_cpu": 2450,
            "cpu_scaling_enabled": False, "caches": [], "load_avg": [0.5],
            "library_build_type": "debug",
            "shopmark": {"format": 1, "build_type": "Release", "compiler": "GNU 12.2.0",
                         "commit": "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d", "dirty": False,
                         "warmup": 5, "samples": 25, "percentile_method": "nearest-rank",
                         "complete": True, "targets": targets or {"sqlite": target()}} | ours},
        "benchmarks": list(entries)})


def whole_run():
    """The two baselines and three queries; samples are multiples of one figure, 1 to 5 times."""
    def five(query, title, rows, ns):
        return entry(query, title, rows=rows, samples=[2 * ns, 5 * ns, ns, 3 * ns, 4 * ns],
                     p50=3 * ns, p95=5 * ns)
    return document(
        five("baseline_empty_call", "empty call", 0, 7),
        five("baseline_round_trip", "one-row round trip", 1, 251),
        five("catalog_listing_page_1", "catalog listing, page 1", 24, 400_000),
        five("catalog_listing_three_facets", "catalog listing, three facets", 17, 1_192_000),
        five("customer_by_email", "customer by email", 1, 310))


def write(path, made):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(made, file)
