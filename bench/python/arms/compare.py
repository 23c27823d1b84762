"""Installs the peers that solve for whole poses of an arm, and runs them on the same problems.

    python3 bench/python/arms/compare.py [PEER ...]

Reads the problems that `cargo run --release --bin arms -- targets` in `bench/` has written to
`bench/target/arms/`, and writes `results.json` beside them. A peer that cannot be installed or run
is named, with the reason, and the others go on. Each has a virtual environment of its own.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import run as steps  # of the folder above

TARGET = HERE.parent.parent / "target" / "arms"
PROBLEMS = TARGET / "problems.json"
RESULTS = TARGET / "results.json"

# posekit's own package is built from this checkout, anew with every run, and needs Rust.
CHECKOUT = HERE.parents[2]

PEERS = {
    "posekit": (str(CHECKOUT),),
    "roboticstoolbox": ("roboticstoolbox-python==1.5.0",),
    "optik": ("optik-py==0.5.0", "numpy==2.4.6"),
    "pytracik": ("pytracik==0.0.3",),
    "eaik": ("EAIK==1.2.2",),
    "ssik": ("ssik[urdf]==8.2.0",),
    "placo": ("placo==0.10.2",),
}


def main(names):
    if not PROBLEMS.exists():
        return f"{PROBLEMS} is written by `cargo run --release --bin arms -- targets` in bench/"
    unknown = sorted(set(names) - set(PEERS))
    if unknown:
        return f"there is no peer {', '.join(unknown)}; there are {', '.join(PEERS)}"
    results, failures = [], []
    for name in names or PEERS:
        try:
            folder = TARGET / "python" / name
            if name == "posekit":
                (folder / "installed.txt").unlink(missing_ok=True)
            python = steps.install(folder, PEERS[name])
            text = steps.call([python, HERE / f"{name}_peer.py", PROBLEMS], steps.RUN_SECONDS)
            results += [json.loads(line) for line in text.splitlines()]
        except (subprocess.SubprocessError, OSError, json.JSONDecodeError) as error:
            failures.append({"peer": name, "reason": steps.reason(error)})
            print(f"{name}: left out: {failures[-1]['reason']}", file=sys.stderr)
    document = {**steps.circumstances(), "results": results, "failures": failures}
    RESULTS.write_text(json.dumps(document, indent=1) + "\n")
    for result in results:
        print(summary(result))
    return 0 if results else "no peer could be run"


def summary(result):
    times = sorted(result["times_ns"])
    middle = times[len(times) // 2] / 1e3
    return f"{result['peer']}, {result['arm']}: {result['solved']} of {len(times)}, {middle:.1f} us"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
