"""Processes that measure one row each, started side by side and asked for samples in turns."""
import concurrent.futures
import json
import os
import queue
import subprocess

SLOW_MS = 1000  # a call that takes longer is not warmed up, and sampled in few rounds


def say(line):
    print(line, flush=True)


class Contender:
    """A process that stays alive and answers with times."""

    def __init__(self, name, command, folder, threads, device, processors):
        self.name, self.wall, self.cpu, self.peak, self.differences = name, [], [], [], {}
        self.log = open(os.path.join(folder, f"{name}.log"), "w+")
        bound = ["taskset", "-c", ",".join(map(str, processors))]  # some libraries know no other bound on threads
        self.process = subprocess.Popen(bound + command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True, env=environment(folder, threads, device))
        self.ready = self.wait_until_ready()

    def wait_until_ready(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("ready"):
                return answer
        self.log.seek(0)
        say(f"  {self.name} did not start: {self.log.read()[-1500:]}")
        return None

    def move(self, processors):
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            os.sched_setaffinity(int(thread), processors)

    def slow(self):
        return self.ready["once_ms"] > SLOW_MS

    def sample(self, seconds):
        """Samples for about that long, after one that finds cold caches and is dropped."""
        dropped = 0 if self.slow() else 1
        count = max(1 + 2 * dropped, min(50, int(1000 * seconds / max(self.ready["once_ms"], 1e-3))))
        self.process.stdin.write(f"{count + dropped}\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.ready["once_ms"] = 1e3 * min(answer["wall"])  # while others started it was a guess
        self.wall += answer["wall"][dropped:]
        self.cpu += answer["cpu"][dropped:]
        self.peak += answer["peak"][dropped:]

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
        self.log.close()


def environment(folder, threads, device):
    env = dict(os.environ)
    env.pop("OPENBLAS_CORETYPE", None)  # it would choose another machine's kernels
    for key in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        env[key] = str(threads)
    env["JAX_PLATFORMS"] = device
    if device == "cpu":
        env["CUDA_VISIBLE_DEVICES"] = ""
    env["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # contenders share the memory of a GPU
    env["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, "inductor")
    env["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    if threads == 1:
        env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return env


def start(commands, folder, threads, at_once, device="cpu"):
    """All (name, command) at work: several start and compile at a time, each on as many processors as it has threads;
    then all move to the same ones, where they take turns. Those that did not start are left out."""
    processors = sorted(os.sched_getaffinity(0))
    groups = [(2 * processors)[i:i + threads] for i in range(len(processors))][:at_once]
    if threads > len(processors):
        raise SystemExit(f"{threads} threads do not fit on {len(processors)} processors")
    free = queue.Queue()
    for group in groups:
        free.put(group)

    def one(named):
        group = free.get()
        try:
            return Contender(*named, folder, threads, device, group)
        finally:
            free.put(group)

    with concurrent.futures.ThreadPoolExecutor(len(groups)) as pool:
        contenders = list(pool.map(one, commands))
    for contender in contenders:
        if contender.ready:
            contender.move(groups[0])
        else:
            contender.close()
    return [c for c in contenders if c.ready]
