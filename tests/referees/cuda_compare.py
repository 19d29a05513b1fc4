#!/usr/bin/env python3
"""Compares the kernels and convergent calls that `tangle` finds in CUDA and HIP sources with clang's AST
(`cuda_ast.py`).

    cuda_ast.py --dialect cuda --sdk SDK --root FOLDER --list FILES > clang.jsonl
    cuda_compare.py --tangle target/release/tangle --dialect cuda --root FOLDER clang.jsonl

For each file that clang accepts, `tangle` must find the same number of kernels and no syntax or type error. Skipped
statements are counted. Each call of a barrier, of a `_sync` operation or of a group's operation that clang finds in a
device function must be in the `convergent_calls` of its line. Handles of groups (`tiled_partition`) are not convergent
for `tangle`, and operations of `cuda::pipeline` do not belong to a group: both are ignored. The exit status is 1 if
there is a difference.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter

LEFT_OUT = {"partition", "object", "cub", "asm"}


def told(tangle, arguments):
    """Returns the JSON output of a subcommand, or None if it fails."""
    run = subprocess.run([tangle, *arguments], capture_output=True, timeout=300)
    return json.loads(run.stdout) if run.returncode == 0 else None


def lines_of_calls(facts):
    """Returns the lines of all `convergent_calls` in the output of `show`, with their counts."""
    lines, todo = Counter(), [facts]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            lines.update(call["line"] for call in value.get("convergent_calls", []))
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tangle", required=True)
    parser.add_argument("--dialect", choices=["cuda", "hip"], required=True)
    parser.add_argument("--root", required=True, help="the folder that names in the list are relative to")
    parser.add_argument("list", help="what cuda_ast.py wrote")
    options = parser.parse_args()
    total, differences = Counter(), []
    for line in open(options.list):
        clang = json.loads(line)
        file = os.path.join(options.root, clang["file"])
        if not clang.get("accepted") or not os.path.exists(file):
            continue
        common = ["--dialect", options.dialect, file]
        lint = told(options.tangle, ["lint", "--format", "json", "--fail-on", "never", *common])
        facts = told(options.tangle, ["show", "--what", "tangles", "--format", "json", *common])
        total["files"] += 1
        if lint is None or facts is None:
            differences.append((clang["file"], "cannot be read"))
            continue
        errors = [it for it in lint["findings"] if it["rule"] in ("syntax-error", "type-error")]
        differences += [(clang["file"], f"{it['file']}:{it['line']}: {it['message']}") for it in errors]
        total["errors"] += len(errors)
        total["read over"] += lint["unparsed_statements"]
        total["kernels of clang"] += len(clang["kernels"])
        total["kernels"] += lint["kernels"]
        if len(clang["kernels"]) != lint["kernels"]:
            differences.append((clang["file"], f"{len(clang['kernels'])} kernels, and {lint['kernels']} here"))
        lines = lines_of_calls(facts)
        for call in clang["calls"]:
            if call["kind"] in LEFT_OUT:
                continue
            total["calls of clang"] += 1
            if lines[call["line"]]:
                total["calls"] += 1
            else:
                differences.append((clang["file"], f"line {call['line']}: no call of {call['callee']}"))
    for file, what in differences:
        print(f"{file}: {what}")
    print(", ".join(f"{total[name]} {name}" for name in
                    ["files", "errors", "read over", "kernels of clang", "kernels", "calls of clang", "calls"]))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
