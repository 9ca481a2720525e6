"""Exported ONNX models by onnxruntime.

run_onnx.py MODEL... - computes each model at the points of the points.csv beside it: MODEL.txt gets a line of numbers
for each output. The models are checked by the onnx package first, where that is installed.
"""
import csv
import os
import sys

import numpy
import onnxruntime

for path in sys.argv[1:]:
    try:
        import onnx
        onnx.checker.check_model(onnx.load(path), full_check=True)
    except ImportError:
        print("not checked: there is no onnx package")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    with open(os.path.join(os.path.dirname(path), "points.csv"), newline="") as file:
        names, *rows = csv.reader(file)
    columns = numpy.array(rows, float).T
    types = {"tensor(double)": numpy.float64, "tensor(float)": numpy.float32}
    points = {i.name: columns[names.index(i.name)].astype(types[i.type]) for i in session.get_inputs()}
    found = session.run(None, points)
    for some in (0, 1):  # any number of points
        parts = session.run(None, {
  name: x[:some] for name, x in points.items()})
        assert all(part.shape == (some,) for part in parts), path
    with open(path + ".txt", "w") as file:
        for output in found:
            print(*[repr(float(x)) for x in output], file=file)
