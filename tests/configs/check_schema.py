"""The schema of problem files, held against the program by somebody else's validator: every shipped file is valid, and a bad
one is refused exactly where the program's messages say what a schema can say.

check_schema.py PINN_TRAIN
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
GOOD = ["configs/*.toml", "configs/auto/*.toml", "bench/**/*.toml", "tests/newcomer/*.toml", "tests/docs/pages/*/*.toml"]

# The first lines of messages about names, types, ranges, choices and what is required.
SAYS = [r"unknown key ", r"'.*' must be .*, found (?!nan|inf|-inf)", r"'.*' must have \d+ items?, found", r"'.*' cannot be '",
        r"'.*' is empty$", r"(\[.*\]|'.*') has no '\w+'$", r"'.*' must be an array of tables$", r"the file says nothing",
        r"there is no \[problem\]", r"tables and arrays are nested deeper"]


def messages(file):
    """Those of the gallery that speak of the file itself, and of no --set."""
    told = file.with_suffix(".txt").read_text()
    for part in re.split(r"^error: ", told, flags=re.M)[1:]:
        if "where: --" not in part:
            yield part.splitlines()[0]


def said(file):
    return [m for m in messages(file) if any(re.match(pattern, m) for pattern in SAYS)]


def main():
    try:
        import tomllib

        import jsonschema
    except ImportError as missing:
        print(f"test skipped: {missing} (pip install jsonschema, Python 3.11)")
        return
    schema = json.loads(subprocess.run([sys.argv[1], "--schema"], check=True, capture_output=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong, count = [], {"good": 0, "refused": 0, "beyond": 0}
    for file in sorted(file for pattern in GOOD for file in ROOT.glob(pattern)):
        count["good"] += 1
        for error in validator.iter_errors(tomllib.loads(file.read_text())):
            wrong.append(f"{file}: {error.json_path}: {error.message[:200]}")
    for file in sorted((ROOT / "tests/configs/bad").glob("*.toml")):
        try:
            tree = tomllib.loads(file.read_bytes().decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            continue  # an editor says so before it asks a schema
        refused, expected = [e.message for e in validator.iter_errors(tree)], said(file)
        count["refused" if refused else "beyond"] += 1
        if bool(refused) != bool(expected):
            wrong.append(f"{file}: the schema says {refused[:1]}, the program {expected or list(messages(file))}"[:400])
    print(*wrong, sep="\n")
    print(count)
    assert not wrong
    assert count["good"] > 50 and count["refused"] > 20 and count["beyond"] > 100, count


if __name__ == "__main__":
    main()
