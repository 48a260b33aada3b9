#!/usr/bin/env python3
"""Checks a trace against the Chrome trace event format (JSON Object Format), and against what docs/trace.md promises.

check_chrome.py FILE [NAME=VALUE]...: the least number of something that it has to have: slices, waits, flows, counters,
processes, tracks. Prints these numbers.
"""
import json
import sys
from collections import Counter, defaultdict

# Members that each phase has to have besides `ph`; a trace has no others.
REQUIRED = {
    "M": {"name", "pid", "tid", "args"},
    "X": {"name", "cat", "pid", "tid", "ts", "dur", "args"},
    "C": {"name", "pid", "ts", "args"},
    "s": {"name", "cat", "id", "pid", "tid", "ts"},
    "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"},
    "b": {"name", "cat", "id", "pid", "tid", "ts"},
    "e": {"name", "cat", "id", "pid", "tid", "ts"},
}
METADATA = {
    "process_name": ("name", str),
    "thread_name": ("name", str),
    "process_sort_index": ("sort_index", int),
    "thread_sort_index": ("sort_index", int),
}


def fail(text, event=None):
    sys.exit(f"check_chrome: {text}" + (f": {json.dumps(event)}" if event else ""))


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def no_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        fail(f"members occur twice: {names}")
    return dict(pairs)


def check_members(event):
    phase = event.get("ph")
    if phase not in REQUIRED:
        fail("phase", event)
    if not REQUIRED[phase] <= event.keys():
        fail(f"{REQUIRED[phase] - event.keys()} missing", event)
    for name in ("ts", "dur", "pid", "tid"):
        if name in event and (not is_number(event[name]) or event[name] < 0):
            fail(f"{name} is no number", event)
    for name in ("name", "cat"):
        if name in event and not (isinstance(event[name], str) and event[name]):
            fail(f"{name} is no text", event)
    if "args" in event and not isinstance(event["args"], dict):
        fail("args", event)


def check_metadata(event, named):
    if event["name"] not in METADATA:
        fail("metadata", event)
    member, kind = METADATA[event["name"]]
    if list(event["args"]) != [member] or not isinstance(event["args"][member], kind):
        fail("metadata", event)
    key = (event["name"], event["pid"], event["tid"] if event["name"].startswith("thread") else None)
    if key in named:
        fail("named twice", event)
    named.add(key)


def check_counter(event):
    if not event["args"] or not all(is_number(value) and value >= 0 for value in event["args"].values()):
        fail("counter", event)


def check_nesting(track, slices):
    """Slices of a track lie within one another, or behind one another."""
    stack = []
    for begin, end, event in sorted(slices, key=lambda slice: (slice[0], -slice[1])):
        while stack and stack[-1][1] <= begin:
            stack.pop()
        if stack and stack[-1][1] < end:
            fail(f"overlaps {json.dumps(stack[-1][2])}", event)
        stack.append((begin, end, event))
        if len(stack) > (32 if event["cat"] == "zone" else 2):  # an instruction, and its wait
            fail("nests too deep", event)


def check_flows(flows, tracks):
    """Each has a beginning and an end, in that order, and each end is on a slice."""
    for key, ends in flows.items():
        if [event["ph"] for event in ends] != ["s", "f"]:
            fail(f"flow {key} is not a beginning and an end", ends[0])
        if ends[0]["ts"] > ends[1]["ts"]:
            fail("flow ends before it begins", ends[0])
        if ends[1]["bp"] != "e":
            fail("bp", ends[1])
        for event in ends:
            starts = tracks[event["pid"], event["tid"]]["at"]
            if event["ts"] not in starts:
                fail("flow ends on no slice", event)


def check_async(pairs):
    for key, events in pairs.items():
        phases = "".join(event["ph"] for event in events)
        times = [event["ts"] for event in events]
        if phases != "be" * (len(phases) // 2) or times != sorted(times):
            fail(f"asynchronous slice {key}: {phases}", events[0])


def check(trace):
    if set(trace) != {"displayTimeUnit", "otherData", "traceEvents"} or trace["displayTimeUnit"] not in ("ms", "ns"):
        fail("members of the file")
    tracks = defaultdict(lambda: {"slices": [], "at": set()})
    flows, pairs, named, counts, used = defaultdict(list), defaultdict(list), set(), Counter(), set()
    for event in trace["traceEvents"]:
        check_members(event)
        phase = event["ph"]
        if phase == "M":
            check_metadata(event, named)
            continue
        used.add(event["pid"])
        if phase == "X":
            track = tracks[event["pid"], event["tid"]]
            track["slices"].append((event["ts"], event["ts"] + event["dur"], event))
            track["at"].add(event["ts"])
            counts["waits" if event["cat"] == "wait" else "slices"] += 1
        elif phase == "C":
            check_counter(event)
            counts["counters"] += 1
        elif phase in "sf":
            flows[event["cat"], event["name"], event["id"]].append(event)
        else:
            pairs[event["cat"], event["name"], event["id"]].append(event)
    for key, track in tracks.items():
        check_nesting(key, track["slices"])
        if ("thread_name", *key) not in named:
            fail(f"track {key} has no name")
    for process in used:
        if ("process_name", process, None) not in named:
            fail(f"process {process} has no name")
    check_flows(flows, tracks)
    check_async(pairs)
    counts.update(flows=len(flows), processes=len(used), tracks=len(tracks), requests=len(pairs))
    return counts


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        counts = check(json.load(file, object_pairs_hook=no_duplicates))
    for least in sys.argv[2:]:
        name, value = least.split("=")
        if counts[name] < int(value):
            fail(f"{counts[name]} {name}, not {value}")
    print(" ".join(f"{name}={counts[name]}" for name in sorted(counts)))


main()
