"""Installs the peers, each in a virtual environment of its own, and runs them on the same problems.

    python3 bench/python/run.py [PEER ...]

Reads the robots from the folder that POSEKIT_ASSETS names. Everything goes to
`bench/target/python/`; the numbers to `results.json` there. A peer that cannot be installed or run
is named, with the reason, and the others go on.
"""

import json
import os
import platform
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "target" / "python"
PROBLEMS = TARGET / "problems.json"
RESULTS = TARGET / "results.json"

# The environments stay apart because placo pins an older pin than pink needs.
PEERS = {
    "placo": ("placo==0.10.2",),
    "pink": (
        *("pin==4.1.0", "pin-pink==4.4.0"),
        *("daqp==0.11.0", "proxsuite==0.8.0", "quadprog==0.1.14"),
    ),
    "mink": ("mink==1.3.0", "mujoco==4.0.0", "daqp==0.11.0", "quadprog==0.1.14"),
}
INSTALL_SECONDS = 900
RUN_SECONDS = 900


def main(names):
    assets = os.environ.get("POSEKIT_ASSETS")
    if assets is None:
        return "POSEKIT_ASSETS must name the folder that has `urdf/`"
    unknown = sorted(set(names) - set(PEERS))
    if unknown:
        return f"there is no peer {', '.join(unknown)}; there are {', '.join(PEERS)}"
    TARGET.mkdir(parents=True, exist_ok=True)
    results, failures = [], []
    for name in names or PEERS:
        try:
            results += run_peer(name, assets)
        except (subprocess.SubprocessError, OSError, json.JSONDecodeError) as error:
            failures.append({"peer": name, "reason": reason(error)})
            print(f"{name}: left out: {failures[-1]['reason']}", file=sys.stderr)
    document = {**circumstances(), "results": results, "failures": failures}
    RESULTS.write_text(json.dumps(document, indent=1) + "\n")
    for result in results:
        print(summary(result))
    print(f"written to {RESULTS.relative_to(HERE.parent.parent)}")
    return 0 if results else "no peer could be run"


def run_peer(name, assets):
    python = install(TARGET / name, PEERS[name])
    if not PROBLEMS.exists():
        call([python, HERE / "generate.py", assets, PROBLEMS], RUN_SECONDS)
    text = call([python, HERE / f"{name}_peer.py", assets, PROBLEMS], RUN_SECONDS)
    return [json.loads(line) for line in text.splitlines()]


def install(folder, requirements):
    """The interpreter of the environment in a folder; made anew where the packages are other ones."""
    python = folder / "bin" / "python"
    stamp = folder / "installed.txt"
    packages = "\n".join(requirements)
    if not (stamp.exists() and stamp.read_text() == packages):
        print(f"{folder.name}: installing {', '.join(requirements)}", file=sys.stderr, flush=True)
        venv.create(folder, clear=True, with_pip=True)
        call([python, "-m", "pip", "install", "--quiet", *requirements], INSTALL_SECONDS)
        stamp.write_text(packages)
    return python


def call(command, seconds):
    """What a command writes to standard output; on one thread, as a single solve of posekit is."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **threads, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        text=True,
        capture_output=True,
        timeout=seconds,
    ).stdout


def reason(error):
    """The last line that a failed command wrote, else the error itself."""
    lines = (getattr(error, "stderr", None) or "").strip().splitlines()
    return lines[-1] if lines else str(error)


def circumstances():
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=HERE,
        text=True,
        capture_output=True,
        check=False,
    ).stdout.strip()
    return {
        "machine": processor(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "python": platform.python_version(),
        "commit": commit,
    }


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def summary(result):
    line = (
        f"{result['peer']} {result['version']} ({result['settings']}), {result['case']}: "
        f"step {result['step_ns_median'] / 1e3:.1f} us, mean {result['step_ns_mean'] / 1e3:.1f} us, "
        f"{result['tracked']:.1%} tracked"
    )
    if result["solved"] is None:
        return line
    line += f"; {result['solved']:.1%} solved"
    if result["converge_ns_median"] is not None:
        microseconds = result["converge_ns_median"] / 1e3
        line += f" in {result['converge_steps_median']:g} steps, {microseconds:.1f} us"
    return line


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
