"""Trains the shipped problems, or takes runs that are there, and keeps of each its report and a picture: TO/NAME/report.html,
TO/NAME/field.png, and in TO/gallery.json what its run came to.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).parents[2]


def arguments():
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of pinn-train and pinn-report")
    read.add_argument("--to", type=pathlib.Path, required=True)
    read.add_argument("--runs", type=pathlib.Path, help="a folder with runs that are taken as they are")
    read.add_argument("--steps", type=int, help="so many of each stage, and not those of the file")
    read.add_argument("--only", help="names of problems between commas")
    read.add_argument("--threads", default="0", help="0: as many as the machine allows")
    return read.parse_args()


def train(problem, folder, asked):
    command = [asked.programs / "pinn-train", problem, "--quiet", "--overwrite", "--out", folder, "--set", f"run.threads={asked.threads}"]
    if asked.steps:
        for stage in range(1, len(re.findall(r"^\[\[stage\]\]", problem.read_text(), re.M)) + 1):
            command += ["--set", f"stage.{stage}.steps={asked.steps}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{problem.name}: {done.stderr or done.stdout}")


def errors_of(status, run):
    """The errors of the result against its reference. Runs of older programs tell them in the record of its step alone."""
    best = status.get("best", {})
    errors = best.get("errors")
    if errors is None:
        records = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
        record = next((record for record in records if record["step"] == best.get("step")), {})
        errors = {key.removeprefix("error:"): value for key, value in record.items() if key.startswith("error:")}
    return {name: error for name, error in errors.items() if error is not None}


def keep(problem, run, shortened, asked):
    """Report and picture of a run; what is told of it. `shortened`: the steps that its stages were cut to, if they were."""
    place = asked.to / problem.stem
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    report = asked.programs / "pinn-report"
    subprocess.run([report, run, "-o", place / "report.html"], check=True, capture_output=True)
    told = subprocess.run([report, run, "--pictures", place / "pictures"], check=True, capture_output=True, text=True).stdout
    pictures = [pathlib.Path(line.removeprefix("wrote ")) for line in told.splitlines()]  # the first field comes first
    picture = next((file for file in pictures if file.suffix == ".png"), pictures[0])
    shutil.copy(picture, place / ("field" + picture.suffix))
    status = json.loads((run / "status.json").read_text())
    return {"name": problem.stem, "picture": "field" + picture.suffix, "seconds": status["seconds"], "steps": status["step"],
            "errors": errors_of(status, run), "shortened": shortened, "taken": time.strftime("%Y-%m-%d")}


def main():
    asked = arguments()
    asked.to.mkdir(parents=True, exist_ok=True)
    names = asked.only.split(",") if asked.only else None
    told = []
    for problem in sorted((ROOT / "configs").glob("*.toml")):
        if names and problem.stem not in names:
            continue
        run = asked.runs / problem.stem if asked.runs else None
        is_there = run is not None and (run / "checkpoint.h5").exists()
        if not is_there:
            run = asked.to / "runs" / problem.stem
            train(problem, run, asked)
        told.append(keep(problem, run, None if is_there else asked.steps, asked))
        print(f"{problem.stem}: {told[-1]['steps']} steps", flush=True)
    if not told:
        sys.exit("error: there is no such problem: " + asked.only)
    (asked.to / "gallery.json").write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
