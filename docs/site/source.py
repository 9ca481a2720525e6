"""Lays out what the site is made of: the pages as they stand, each in its folder, what they link to, and the pages that are
generated: the reference of keys and programs, the gallery, a page for each shipped problem.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
LINK = re.compile(r"(!?)\[([^\[\]]*(?:\[[^\]]*\][^\[\]]*)*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^ *```")
HERE = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "docs/**/*.md", "bench/README.md", "bench/public/README.md"]


def pages():
    return sorted({file.relative_to(ROOT) for pattern in HERE for file in ROOT.glob(pattern)})


def problem_page(target):
    """Where the site has a shipped problem."""
    return pathlib.Path("docs/gallery") / (target.stem + ".md")


def place_of(page, target):
    """The file that a link of a page means, from the root."""
    return pathlib.Path(*pathlib.PurePosixPath((ROOT / page.parent / target).resolve().relative_to(ROOT)).parts)


def linked(page, link, known, to):
    """A link of a page as the site has it; files that are no pages are copied."""
    picture, text, target = link.groups()
    path, _, anchor = target.partition("#")
    if re.match(r"https?:|mailto:", target) or not path:
        return link.group(0)
    file = place_of(page, path)
    if file in known:
        return link.group(0)
    if file.parent == pathlib.Path("configs") and file.suffix == ".toml":
        file = problem_page(file)
    elif file == pathlib.Path("configs"):
        file = pathlib.Path("docs/gallery.md")
    elif not (ROOT / file).is_file():
        return text  # a folder
    else:
        (to / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, to / file)
    up = "../" * len(page.parent.parts)
    return f"{picture}[{text}]({up}{file.as_posix()}{'#' + anchor if anchor else ''})"


def lay_out(page, known, to):
    lines, inside = [], False
    for line in (ROOT / page).read_text().splitlines():
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            line = LINK.sub(lambda link: linked(page, link, known, to), line)
        lines.append(line)
    (to / page).parent.mkdir(parents=True, exist_ok=True)
    (to / page).write_text("\n".join(lines) + "\n")


def output(programs, *words):
    return subprocess.run([programs / words[0], *words[1:]], check=True, capture_output=True, text=True).stdout


def plain(text):
    """A text in which nothing means anything to Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", text)


def reference(programs):
    """`pinn-train --keys` as a page: a heading for every key, so that the search finds it."""
    text = "# Every key\n\nAs `pinn-train --keys` prints it. How keys go together says [the problem file](problem_file.md).\n"
    table = ""
    for line in output(programs, "pinn-train", "--keys").splitlines():
        key = re.match(r"  (\S+) +(.*)", line)
        if re.match(r"\S", line):
            header, says = line.split(": ", 1)
            table = header.strip("[]") + "." if header.startswith("[") else ""
            text += f"\n## {plain(header)}\n\n{plain(says)}\n"
        elif key:
            text += f"\n### `{table}{key[1]}`\n\n{plain(key[2])}\n"
        elif line:
            text = text.rstrip("\n") + f"  \n{plain(line.strip())}\n"
    return text


def programs_page(programs):
    text = "# The programs\n\nAs each says with `--help`.\n"
    for name in ["pinn-train", "pinn-export", "pinn-report", "pinn-sweep", "pinn-reference"]:
        text += f"\n## {name}\n\n```text\n{output(programs, name, '--help')}```\n"
    return text


def told_of(run):
    """One line about a run of the gallery."""
    errors = ", ".join(f"{name} {value:.1e}" for name, value in run["errors"].items())
    short = f", **cut to {run['shortened']} steps a stage**" if run["shortened"] else ""
    return f"{run['steps']} steps{short}, {run['seconds']:.0f} s; error: {errors or 'no reference'}"


def title_of(problem):
    """The first sentence of a shipped problem."""
    return problem.read_text().splitlines()[0].lstrip("# ").rstrip(":.")


def gallery(folder, to):
    runs = json.loads((folder / "gallery.json").read_text())
    by_name = {run["name"]: run for run in runs}
    cards = "# Gallery\n\nEvery shipped problem, with the report of a run that was made for this page.\n\n<div class=\"gallery\">\n"
    for problem in sorted((ROOT / "configs").glob("*.toml")):
        run = by_name.get(problem.stem)
        page = f"# {problem.stem}\n\n"
        if run:
            for name in ["report.html", run["picture"]]:
                (to / "docs/gallery" / problem.stem).mkdir(parents=True, exist_ok=True)
                shutil.copy(folder / problem.stem / name, to / "docs/gallery" / problem.stem / name)
            page += f"![{problem.stem}]({problem.stem}/{run['picture']})\n\n[The report]({problem.stem}/report.html) of a run of {run['taken']}: {told_of(run)}.\n\n"
            cards += (f"<a href=\"gallery/{problem.stem}.html\"><img src=\"gallery/{problem.stem}/{run['picture']}\" alt=\"\" loading=\"lazy\">"
                      f"<b>{problem.stem}</b><span>{title_of(problem)}</span></a>\n")
        page += f"```sh\npinn-train --example {problem.stem} > {problem.stem}.toml\n```\n\n```toml title=\"{problem.stem}.toml\"\n{problem.read_text()}```\n"
        (to / problem_page(problem)).parent.mkdir(parents=True, exist_ok=True)
        (to / problem_page(problem)).write_text(page)
    return cards + "</div>\n\nWhat each promises: [the shipped problems](problems.md).\n"


def main():
    read = argparse.ArgumentParser(description=__doc__)
    for name in ["programs", "gallery", "to"]:
        read.add_argument("--" + name, type=pathlib.Path, required=True)
    asked = read.parse_args()
    known = pages()
    for page in known:
        lay_out(page, known, asked.to)
    (asked.to / "docs/gallery.md").write_text(gallery(asked.gallery, asked.to))
    (asked.to / "docs/keys.md").write_text(reference(asked.programs))
    (asked.to / "docs/programs.md").write_text(programs_page(asked.programs))
    for file in ["site.css", "iframe-worker.js"]:
        shutil.copy(ROOT / "docs/site" / file, asked.to / file)


if __name__ == "__main__":
    main()
