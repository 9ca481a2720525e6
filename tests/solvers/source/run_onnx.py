"""Exported ONNX models by onnxruntime.

run_onnx.py FOLDER... - computes u.onnx of each folder at the points of its points.csv: found.txt holds a line of
numbers for each output. The models are checked by the onnx package first, where that is installed.
"""
import csv
import os
import sys

import numpy
import onnxruntime

for folder in sys.argv[1:]:
    path = os.path.join(folder, "u.onnx")
    try:
        import onnx
        onnx.checker.check_model(onnx.load(path), full_check=True)
    except ImportError:
        print("not checked: there is no onnx package")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    with open(os.path.join(folder, "points.csv"), newline="") as file:
        names, *rows = csv.reader(file)
    columns = numpy.array(rows, float).T
    types = {"tensor(double)": numpy.float64, "tensor(float)": numpy.float32}
    points = {i.name: columns[names.index(i.name)].astype(types[i.type]) for i in session.get_inputs()}
    found = session.run(None, points)
    for some in (0, 1):  # any number of points
        parts = session.run(None, {
  name: x[:some] for name, x in points.items()})
        assert all(part.shape == (some,) for part in parts), path
    with open(os.path.join(folder, "found.txt"), "w") as file:
        for output in found:
            print(*[repr(float(x)) for x in output], file=file)
