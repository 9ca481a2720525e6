#!/usr/bin/env python3
"""Measures pinn beside PyTorch and JAX, in turns, on the same inputs, and writes what it found as a dated table.

    bench/compare.py step   --pinn build/release/pinn-bench --python /tmp/peers/bin/python
    bench/compare.py w-hess --pinn build/release/pinn-bench --python /tmp/peers/bin/python --activations tanh

Every contender is a process of its own that stays alive: pinn-bench --write leaves the inputs, each contender leaves
its gradient, these are compared with the float64 reference, and only then are samples taken, round after round, one
contender at a time. bench/README.md says what the rows are.
"""
import argparse
import array
import datetime
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

STEP_SIZES = ["20,8,10000", "64,4,10000", "128,4,10000", "256,6,16384", "20,8,64", "20,8,256", "64,4,1000"]
STEP_PINN = ["compiled", "taylor", "reverse"]
STEP_PEERS = ["torch-eager", "torch-func", "torch-taylor", "torch-taylor-compile", "torch-taylor3",
              "torch-taylor3-compile", "jax-jvp", "jax-grad", "jax-jet"]
HESSIAN_PINN = ["pruned", "unpruned", "taylor"]
HESSIAN_PEERS = ["torch-eager", "torch-func", "jax-hessian", "jax-forward"]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", choices=["step", "w-hess"])
    parser.add_argument("--pinn", required=True, help="the program pinn-bench")
    parser.add_argument("--python", help="a Python that has torch and jax; without it no peers run")
    parser.add_argument("--sizes", nargs="+", help="step: width,layers,points; w-hess: width,points")
    parser.add_argument("--activations", nargs="+", default=["relu", "tanh", "silu"], help="of w-hess")
    parser.add_argument("--dtypes", nargs="+", default=None, choices=["f32", "f64"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--rows", nargs="+", help="only these rows, by whole name")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="about how long a contender runs per round")
    parser.add_argument("--name", help="of the file in bench/results; default: the workload")
    parser.add_argument("--out", default=os.path.join(HERE, "results"), help="folder of the table; - prints only")
    return parser.parse_args()


# ---- contenders ------------------------------------------------------------------------------------------------------


class Contender:
    """A process that measures one row."""

    def __init__(self, name, command, folder, threads):
        self.name, self.alive, self.wall, self.cpu, self.peak = name, False, [], [], []
        self.log = open(os.path.join(folder, f"{name}.log"), "w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                        text=True, env=environment(folder, threads),
                                        preexec_fn=lambda: bind(threads))
        self.ready = self.wait_until_ready()
        self.alive = self.ready is not None

    def wait_until_ready(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("holds") is False:
                say(f"  {self.name}: {answer.get('validates')}: {answer.get('value')}, limit {answer.get('limit')}")
            if answer.get("ready"):
                return answer
        self.log.seek(0)
        say(f"  {self.name} did not start: {self.log.read()[-1500:]}")
        return None

    def sample(self, seconds):
        """Samples for about that long, after one that finds cold caches and is dropped."""
        count = max(1, min(50, int(1000 * seconds / max(self.ready["once_ms"], 1e-3))))
        self.process.stdin.write(f"{count + 1}\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.wall += answer["wall"][1:]
        self.cpu += answer["cpu"][1:]
        self.peak += answer["peak"][1:]

    def resident(self):
        """MiB at most, as the system counts them."""
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
        return 0

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


def environment(folder, threads):
    env = dict(os.environ)
    env.pop("OPENBLAS_CORETYPE", None)  # it would choose another machine's kernels
    for key in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        env[key] = str(threads)
    env["JAX_PLATFORMS"] = "cpu"
    env["CUDA_VISIBLE_DEVICES"] = ""
    env["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, "inductor")
    if threads == 1:
        env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return env


def bind(threads):
    """As many processors as threads: some libraries know no other bound."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def commands(opts, case, folder):
    """(name, command) of every contender of a case."""
    sizes = [f"--{key}={case[key]}" for key in ("width", "layers", "points", "activation") if key in case]
    common = sizes + ["--dtype", case["dtype"], "--threads", str(case["threads"]), "--folder", folder]
    peer_common = [c for c in common if not c.startswith("--points")]
    if opts.workload == "step":
        pinn, peers, script = STEP_PINN, STEP_PEERS, "{}_step.py"
    else:
        pinn = [f"{case['activation']} {row}{last}" for row in HESSIAN_PINN for last in ("", " backward")]
        peers = [row + last for row in HESSIAN_PEERS for last in ("", " backward")]
        script = "{}_hessian.py"
    all_of_them = [(f"pinn-{row}", [opts.pinn, opts.workload, *common, "--row", row, "--serve"]) for row in pinn]
    if opts.python:
        for row in peers:
            path = os.path.join(HERE, "peers", script.format(row.split("-")[0]))
            all_of_them.append((row, [opts.python, path, *peer_common, "--row", row]))
    return [(name, command) for name, command in all_of_them if not opts.rows or name in opts.rows]


# ---- gradients -------------------------------------------------------------------------------------------------------


def read(folder, name, key):
    path = os.path.join(folder, f"{name}.{key}.f64")
    if not os.path.exists(path):
        return None
    values = array.array("d")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def difference(folder, name, key):
    """The largest difference from the reference, relative to its largest entry; None where there is nothing."""
    exact, values = read(folder, "reference", key), read(folder, name, key)
    if values is None:
        return None
    if len(values) != len(exact):
        return float("inf")
    scale = max(map(abs, exact)) or 1.0
    return max(abs(a - b) if a == a else float("inf") for a, b in zip(values, exact)) / scale


LIMITS = {("gradient", "f32"): 1e-5, ("gradient", "f64"): 1e-10, ("hessian", "f32"): 2e-6, ("hessian", "f64"): 1e-10}


def agree(folder, contender, dtype):
    """Whether the results are the reference's; says so where not."""
    contender.differences = {}
    for key in ("gradient", "hessian"):
        d = difference(folder, contender.name, key)
        if d is None:
            continue
        contender.differences[key] = d
        if not d <= LIMITS[key, dtype]:
            say(f"  {contender.name}: its {key} is {d:.1e} away from the reference; limit {LIMITS[key, dtype]:.0e}")
            return False
    return bool(contender.differences)


# ---- one case --------------------------------------------------------------------------------------------------------


def measure(opts, case):
    """Runs a case; returns its table as lines of Markdown, and whether all results agreed."""
    say(f"{title(opts, case)}")
    with tempfile.TemporaryDirectory(prefix="pinn-bench-") as folder:
        sizes = [f"--{key}={case[key]}" for key in ("width", "layers", "points", "activation") if key in case]
        subprocess.run([opts.pinn, opts.workload, *sizes, "--dtype", case["dtype"], "--folder", folder, "--write"],
                       check=True, stdout=subprocess.DEVNULL)
        contenders, good = [], True
        for name, command in commands(opts, case, folder):
            contender = Contender(name, command, folder, case["threads"])
            if contender.alive and agree(folder, contender, case["dtype"]):
                contenders.append(contender)
            else:
                good = False
                contender.close()
        for _ in range(opts.rounds):
            for contender in contenders:
                contender.sample(opts.seconds)
                time.sleep(0.02)  # threads that spin while they wait have time to stop
        lines = table(opts, case, contenders)
        for contender in contenders:
            contender.close()
    return lines, good


def square_flops(case):
    """Of the products between hidden layers of the step, with one channel: value, data and weight gradient."""
    return 6 * case["points"] * case["width"] ** 2 * (case["layers"] - 1)


def least_flops(opts, case, peer):
    """What a peer's products cannot do without: those of three channels, or of four."""
    return square_flops(case) * (3 if "taylor3" in peer else 4) if opts.workload == "step" else 0


def title(opts, case):
    sizes = f"width {case['width']}, {case['points']} points"
    if opts.workload == "step":
        sizes = f"width {case['width']}, {case['layers']} layers, {case['points']} points"
    activation = f", {case['activation']}" if "activation" in case else ""
    return f"{opts.workload}: {sizes}{activation}, {case['dtype']}, threads: {case['threads']}"


def table(opts, case, contenders):
    ours = [c for c in contenders if c.name.startswith("pinn-")]
    peak = statistics.median([p for c in ours for p in c.peak]) if any(c.peak for c in ours) else None
    lines = [f"### {title(opts, case)}", ""]
    if peak:
        lines += [f"FMA peak in the same run: {peak:.0f} GF/s."]
        if opts.workload == "step":
            for channels in (3, 4):
                ms = 1e-6 * channels * square_flops(case) / peak
                lines += [f"Products between hidden layers with {channels} channels, at that peak: {ms:.3g} ms."]
        lines += [""]
    lines += ["| row | median ms | least ms | CPU ms | times the fastest of pinn | share of peak | differences | MiB |",
              "|---|---|---|---|---|---|---|---|"]
    for last in ("", " backward"):
        group = [c for c in contenders if c.name.endswith(" backward") == bool(last)]
        lines += rows(opts, case, group, peak)
    return lines + [""]


def rows(opts, case, group, peak):
    own = [statistics.median(c.wall) for c in group if c.name.startswith("pinn-")]
    lines = []
    for c in sorted(group, key=lambda c: statistics.median(c.wall)):
        wall = statistics.median(c.wall)
        flops = c.ready.get("product_flops") or least_flops(opts, case, c.name)
        share = f"{100e-9 * flops / wall / peak:.0f} %" if flops and peak else ""
        ratio = f"{wall / min(own):.2f}" if own else ""
        off = ", ".join(f"{k} {v:.0e}" for k, v in c.differences.items())
        lines.append(f"| {c.name} | {1e3 * wall:.3g} | {1e3 * min(c.wall):.3g} | {1e3 * statistics.median(c.cpu):.3g} "
                     f"| {ratio} | {share} | {off} | {c.resident():.0f} |")
    return lines


# ---- all cases -------------------------------------------------------------------------------------------------------


def cases(opts):
    if opts.workload == "step":
        for size in opts.sizes or STEP_SIZES:
            width, layers, points = map(int, size.split(","))
            for dtype in opts.dtypes or ["f32", "f64"]:
                for threads in opts.threads:
                    yield {"width": width, "layers": layers, "points": points, "dtype": dtype, "threads": threads}
    else:
        for size in opts.sizes or ["512,2000"]:
            width, points = map(int, size.split(","))
            for activation in opts.activations:
                for dtype in opts.dtypes or ["f32"]:
                    for threads in opts.threads:
                        yield {"width": width, "points": points, "activation": activation, "dtype": dtype,
                               "threads": threads}


def machine(opts):
    """Lines that say what was measured, where and how."""
    first = subprocess.run([opts.pinn, "d-c", "--count", "10", "--samples", "0"], capture_output=True, text=True,
                           check=True).stdout.splitlines()[0]
    m = json.loads(first)
    flags = ", ".join(f for f in ("avx512", "amx_bf16") if m[f]) or "neither AVX-512 nor AMX"
    lines = [f"* machine: {m['cpu']} (family {m['family']}), {m['cores']} cores, {flags}; load before "
             f"{os.getloadavg()[0]:.2f}",
             f"* pinn {m['version']}, {m['compiler']}, vectors of {m['vector_bytes']} bytes"]
    if opts.python:
        code = "import torch, jax; print('PyTorch', torch.__version__ + ', JAX', jax.__version__)"
        lines.append("* " + subprocess.run([opts.python, "-c", code], capture_output=True, text=True).stdout.strip())
    return lines + [f"* command: `bench/compare.py {shlex.join(sys.argv[1:])}`",
                    f"* {opts.rounds} rounds, contenders in turns, about {opts.seconds} s each per round; median and "
                    "least of all samples, by the clock; CPU: median of the process"]


def say(line):
    print(line, flush=True)


def main():
    opts = options()
    name = f"{datetime.date.today()}-{opts.name or opts.workload}"
    text, good = [f"# {name}", "", *machine(opts), ""], True
    path = None if opts.out == "-" else os.path.join(opts.out, f"{name}.md")
    for case in cases(opts):
        lines, agreed = measure(opts, case)
        good = good and agreed
        say("\n".join(lines))
        text += lines
        if path:  # after every case, so that an interrupted run leaves what it has
            os.makedirs(opts.out, exist_ok=True)
            with open(path, "w") as file:
                file.write("\n".join(text))
    text += [f"* load after {os.getloadavg()[0]:.2f}", ""]
    if path:
        with open(path, "w") as file:
            file.write("\n".join(text))
        say(f"written: {path}")
    sys.exit(0 if good else 1)


main()
