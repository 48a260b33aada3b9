#!/usr/bin/env python3
"""Checks files of tt-metal's profiler against what their readers demand.

check_profiler.py log FILE        profile_log_device.csv: tt-metal tools/tracy/device_log_schema.py and process_device_log.py
check_profiler.py ops FILE        ops_perf_results.csv: what tt-perf-report takes from a row
check_profiler.py noc FOLDER [CLUSTER]  NoC traces: tt-npe doc/noc_trace_format.md, npeWorkloadIngest.cpp, fabric_post_process.py
Prints what was found.
"""
import csv
import json
import os
import re
import sys
from collections import Counter, defaultdict

COLUMNS = [
    "PCIe slot", "core_x", "core_y", "RISC processor type", "timer_id", "time[cycles since reset]", "data",
    "run host ID", "trace id", "trace id counter", "zone name", "type", "source line", "source file", "meta data",
]  # fmt: skip
ARCH_LINE = re.compile(r"^ARCH:\s*.+,\s*CHIP_FREQ\[MHz\]:\s*\d+,\s*Max Compute Cores:\s*\d+\s*$")
PROCESSORS = ["BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC"]
OPS_COLUMNS = [
    "OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT",
    "AVAILABLE WORKER CORE COUNT", "HOST START TS", "OP TO OP LATENCY [ns]", "DEVICE FW DURATION [ns]",
    "DEVICE KERNEL DURATION [ns]", "INPUT_0_MEMORY", "INPUT_1_MEMORY", "OUTPUT_0_MEMORY", "INPUT_0_DATATYPE",
    "INPUT_1_DATATYPE", "OUTPUT_0_DATATYPE", "INPUT_0_Y_PAD[LOGICAL]",
]  # fmt: skip
TRACE_NAME = re.compile(r"^noc_trace_dev(\d+)_((\w*)_)?ID(\d+)(_traceID(\d+))?\.json$")
REQUESTS = {"READ", "WRITE_", "WRITE_MULTICAST", "WRITE_INLINE", "SEMAPHORE_INC"}
WIDTH, HEIGHT = 17, 12


def demand(condition, text, what=None):
    if not condition:
        sys.exit(f"check_profiler: {text}" + (f": {what}" if what is not None else ""))


def check_zones(key, markers):
    """Each zone of a processor begins and ends as often, in this order."""
    open_zones = Counter()
    for time, kind, name in markers:
        open_zones[name] += 1 if kind == "ZONE_START" else -1
        demand(open_zones[name] in (0, 1), "zone", (key, time, name))
    demand(not any(open_zones.values()), "a zone does not end", key)


def check_log(path):
    with open(path, newline="", encoding="utf-8") as file:
        lines = file.read().splitlines()
    demand(ARCH_LINE.match(lines[0]), "first line", lines[0])
    demand([name.strip() for name in lines[1].split(",")] == COLUMNS, "columns", lines[1])
    launches, zones = defaultdict(list), defaultdict(list)
    for row in csv.reader(lines[2:]):
        demand(len(row) == len(COLUMNS), "fields", row)
        of = dict(zip(COLUMNS, row))
        x, y, time, launch = (int(of[name]) for name in ("core_x", "core_y", COLUMNS[5], "run host ID"))
        demand(x < WIDTH and y < HEIGHT and time >= 0 and launch > 0 and int(of["timer_id"]) > 0, "numbers", row)
        demand(of["RISC processor type"] in PROCESSORS and of["type"] in ("ZONE_START", "ZONE_END"), "names", row)
        demand(of["trace id"] == of["trace id counter"] == "", "trace", row)
        launches[launch, x, y].append((time, of["RISC processor type"], of["zone name"], of["type"]))
        zones[launch, x, y, of["RISC processor type"]].append((time, of["type"], of["zone name"]))
    for key, markers in zones.items():
        check_zones(key, markers)
    for key, rows in launches.items():
        firmware = [(time, kind) for time, risc, name, kind in rows if risc == "BRISC" and name == "BRISC-FW"]
        demand([kind for _, kind in sorted(firmware)] == ["ZONE_START", "ZONE_END"], "BRISC-FW", key)
        first, last = sorted(time for time, _ in firmware)
        inside = [time for time, _, name, _ in rows if name != "BRISC-FW"]
        demand(inside and first <= min(inside) and max(inside) < last, "BRISC-FW is not around the rest", key)
    return Counter(launches=len({key[0] for key in launches}), tiles=len({key[1:] for key in launches}), zones=len(zones))


def check_ops(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        demand(set(OPS_COLUMNS) <= row.keys() and None not in row and None not in row.values(), "columns", row)
        demand(row["OP TYPE"] == "tt_dnn_device" and row["DEVICE ARCH"] == "blackhole" and row["OP CODE"], "row", row)
        kernel, firmware = float(row["DEVICE KERNEL DURATION [ns]"]), float(row["DEVICE FW DURATION [ns]"])
        demand(0 < kernel <= firmware and int(row["CORE COUNT"]) > 0, "durations", row)
        demand(float(row["OP TO OP LATENCY [ns]"]) >= 0 and int(row["DEVICE ID"]) == 0, "row", row)
    starts = [float(row["HOST START TS"]) for row in rows]
    demand(starts == sorted(starts), "order", starts)
    return Counter(launches=len(rows))


def check_request(event):
    for name in ("noc", "vc", "num_bytes", "type", "src_device_id", "timestamp", "op_name", "run_host_id"):
        demand(name in event, f"no {name}", event)
    demand(event["noc"] in ("NOC_0", "NOC_1") and event["type"] in REQUESTS, "request", event)
    ends = [("dx", "dy")]
    if event["type"] == "WRITE_MULTICAST":
        ends = [("mcast_start_x", "mcast_start_y"), ("mcast_end_x", "mcast_end_y")]
    for x, y in ends:
        demand(0 <= event[x] < WIDTH and 0 <= event[y] < HEIGHT, "place", event)
    if event["type"] in ("READ", "WRITE_", "WRITE_MULTICAST"):
        demand(event["num_bytes"] > 0, "bytes", event)


def check_topology(folder, cluster):
    """What fabric_post_process.py demands of topology.json."""
    with open(os.path.join(folder, "topology.json"), encoding="utf-8") as file:
        topology = json.load(file)
    demand(topology["cluster_type"] == cluster and topology["fabric_config"] == "DISABLED", "topology", topology)
    demand(topology["mesh_shapes"] == [{"mesh_id": 0, "shape": [1, 1]}], "meshes", topology)
    demand(topology["device_id_to_fabric_node_id"] == {"0": [0, 0]}, "devices", topology)


def check_times(events, name):
    """fabric_post_process.py drops what is behind a time of more than twice the one before."""
    times = sorted(event["timestamp"] for event in events)
    demand(all(later <= 2 * before for before, later in zip(times, times[1:])), "times", name)


def check_noc(folder, cluster="P150"):
    counts = Counter()
    check_topology(folder, cluster)
    for name in sorted(set(os.listdir(folder)) - {"topology.json"}):
        demand(TRACE_NAME.match(name), "name", name)
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            events = json.load(file)
        demand(isinstance(events, list) and events, "no array", name)
        check_times(events, name)
        keys = [(e["sx"], e["sy"], PROCESSORS.index(e["proc"]), e["timestamp"]) for e in events]
        demand(keys == sorted(keys), "order", name)
        open_zone = None
        for event in events:
            here = event["sx"], event["sy"], event["proc"]
            if "zone" in event:
                start = event["zone_phase"] == "ZONE_START"
                demand(start or event["zone_phase"] == "ZONE_END", "zone", event)
                demand(open_zone == (None if start else here), "zones do not nest", event)
                open_zone = here if start else None
            else:
                demand(open_zone == here, "request outside of a zone", event)
                check_request(event)
                counts[event["type"]] += 1
        demand(open_zone is None, "a zone does not end", name)
        counts["files"] += 1
    return counts


counts = {"log": check_log, "ops": check_ops, "noc": check_noc}[sys.argv[1]](*sys.argv[2:])
print(" ".join(f"{name}={counts[name]}" for name in sorted(counts)))
