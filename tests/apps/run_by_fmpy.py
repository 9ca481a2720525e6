"""FMUs of a run, checked and simulated by FMPy and held against what pinn-export writes; two of them in a loop.

run_by_fmpy.py PINN_TRAIN PINN_EXPORT
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

PROBLEM = """
[problem.coordinates]
x = { range = [-1, 1], unit = "m" }
t = { range = [0, 2], unit = "s" }
k = { range = [0.1, 1], role = "parameter" }
[problem.fields.u]
unit = "K"
[[equation]]
residual = "u_t = k*u_xx"
points = 50
[[condition]]
on = "t = 0"
residual = "u = sin(pi*x)"
points = 20
[network]
layers = [8, 8]
[[stage]]
optimizer = "adam"
steps = 20
"""
FIELDS = ["u", "u_t", "exp(u)*x"]
SLOPES = {name: [f"d({name}, {c})" for c in "xtk"] for name in FIELDS}


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def expected(export, fields, points):
    """Rows of values at points (x, t, k), by pinn-export."""
    with open("points.csv", "w") as file:
        file.write("x,t,k\n" + "".join(",".join(repr(float(c)) for c in p) + "\n" for p in points))
    run(export, "run", "--on", "points.csv", "--fields", ",".join(fields), "-o", "values.csv")
    with open("values.csv") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    return [[float(number) for number in row[3:]] for row in rows[1:]]


def distance(found, wanted):
    """The largest difference of any column over the largest number in it."""
    assert len(found) == len(wanted) and len(found) > 0
    return max(max(abs(a - b) for a, b in zip(f, w)) / max(abs(b) for b in w)
               for f, w in zip(zip(*found), zip(*wanted)))


class Instance:
    """An FMU for co-simulation, with variables by name, in whichever version."""

    def __init__(self, fmpy, file, name):
        self.description = fmpy.read_model_description(file)
        self.is_3 = self.description.fmiVersion.startswith("3")
        self.at = {v.name: v.valueReference for v in self.description.modelVariables}
        self.folder = fmpy.extract(file)
        kind = fmpy.fmi3.FMU3Slave if self.is_3 else fmpy.fmi2.FMU2Slave
        self.fmu = kind(guid=self.description.guid if not self.is_3 else self.description.instantiationToken,
                        unzipDirectory=self.folder, instanceName=name,
                        modelIdentifier=self.description.coSimulation.modelIdentifier)
        self.fmu.instantiate()
        if self.is_3:
            self.fmu.enterInitializationMode(startTime=0.0)
        else:
            self.fmu.setupExperiment(startTime=0.0)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def get(self, *names):
        at = [self.at[n] for n in names]
        return list(self.fmu.getFloat64(at) if self.is_3 else self.fmu.getReal(at))

    def set(self, **values):
        at = [self.at[n] for n in values]
        (self.fmu.setFloat64 if self.is_3 else self.fmu.setReal)(at, list(values.values()))

    def step(self, time, size):
        self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=size)

    def slope(self, of, by):
        call = self.fmu.getDirectionalDerivative
        return call([self.at[of]], [self.at[by]], [1.0])[0]

    def state(self):
        return self.fmu.getFMUState() if self.is_3 else self.fmu.getFMUstate()

    def restore(self, state):
        (self.fmu.setFMUState if self.is_3 else self.fmu.setFMUstate)(state)

    def close(self):
        self.fmu.terminate()
        self.fmu.freeInstance()
        shutil.rmtree(self.folder)


def check_simulations(fmpy, np, export, file):
    for kind in ("CoSimulation", "ModelExchange"):
        signals = np.array([(0.0, -0.9), (2.0, 0.9)], dtype=[("time", "f8"), ("x", "f8")])
        moves = kind == "ModelExchange"  # a slave takes inputs before the step that the result stands behind
        result = fmpy.simulate_fmu(file, fmi_type=kind, start_values={"x": 0.3, "k": 0.7},
                                   input=signals if moves else None, output=["u", "u_t", "exp(u)*x"],
                                   output_interval=0.1)
        assert len(result) == 21, len(result)
        points = [(-0.9 + 0.9 * t if moves else 0.3, t, 0.7) for t in result["time"]]
        found = [[row[name] for name in FIELDS] for row in result]
        assert distance(found, expected(export, FIELDS, points)) <= 1e-14


def check_instances(fmpy, export, file):
    """Several at once, at points of their own; derivatives; states; a state that is written out."""
    points = [(0.1, 0.5, 0.2), (-0.7, 1.5, 0.9), (0.8, 2.0, 0.5)]
    all_of_them = [Instance(fmpy, file, f"instance {i}") for i in range(len(points))]
    for instance, (x, t, k) in zip(all_of_them, points):
        instance.set(x=x, k=k)
        instance.step(0.0, t)
    found = [i.get(*FIELDS) for i in all_of_them]
    assert distance(found, expected(export, FIELDS, points)) <= 1e-14
    slopes = [[i.slope(of, by) for of in FIELDS for by in "xtk"] for i in all_of_them]
    wanted = expected(export, [s for name in FIELDS for s in SLOPES[name]], points)
    assert distance(slopes, wanted) <= 1e-14
    first = all_of_them[0]
    state = first.state()
    first.set(x=-0.4)
    assert first.get("u") != found[0][:1]
    first.restore(state)
    assert first.get(*FIELDS) == found[0]
    if first.is_3:
        bytes_of_it = first.fmu.serializeFMUState(state)
        all_of_them[1].restore(all_of_them[1].fmu.deserializeFMUState(bytes_of_it))
        assert all_of_them[1].get(*FIELDS) == found[0]
    for instance in all_of_them:
        instance.close()


def check_loop(fmpy, export, files):
    """Two in a loop: what one gives, held in the domain, is where the other looks."""
    pair = [Instance(fmpy, file, file) for file in files]
    points, found, x, h = [], [], [0.2, -0.5], 0.05
    for step in range(40):
        for instance, place in zip(pair, x):
            instance.set(x=place, k=0.3)
            instance.step(step * h, h)
        points += [(place, step * h + h, 0.3) for place in x]
        found += [i.get("u") for i in pair]
        x = [max(-1.0, min(1.0, found[-1][0])), max(-1.0, min(1.0, -found[-2][0]))]
    assert distance(found, expected(export, ["u"], points)) <= 1e-14
    for instance in pair:
        instance.close()


def main():
    try:
        import fmpy
        import fmpy.fmi2
        import fmpy.fmi3
        import fmpy.validation
        import numpy as np
    except ImportError:
        print("test skipped: there is no FMPy (pip install fmpy)")
        return
    train, export = (os.path.abspath(program) for program in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        with open("problem.toml", "w") as file:
            file.write(PROBLEM)
        run(train, "problem.toml", "--quiet", "--out", "run")
        files = {}
        for version in ("2", "3"):
            files[version] = f"u{version}.fmu"
            run(export, "run", "--fields", ",".join(FIELDS), "-o", files[version], "--fmi", version)
            problems = fmpy.validation.validate_fmu(files[version])
            assert not problems, problems
            check_simulations(fmpy, np, export, files[version])
            check_instances(fmpy, export, files[version])
        check_loop(fmpy, export, files.values())
    print("FMPy finds no fault, and simulates what pinn-export writes")


if __name__ == "__main__":
    main()
