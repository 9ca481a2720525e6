#!/bin/sh
# Builds the documentation as static pages with search into build/site/html, which a browser opens from the disk: no page
# asks for anything from a network. Python is needed for this alone, with what requirements.txt names.
#
#   docs/site/build.sh                 trains every shipped problem as it stands for the gallery: half an hour
#   docs/site/build.sh --steps 100     ... each stage for 100 steps: the pages say so
#   docs/site/build.sh --runs runs     ... takes runs that are there, and trains the others
#   docs/site/build.sh --only heat,burgers    a gallery of these
set -eu
cd "$(dirname "$0")/../.."
programs=${PINN_PROGRAMS:-build/release}
[ -x "$programs/pinn-train" ] || { echo "error: there is no $programs/pinn-train: build it, or name its folder in PINN_PROGRAMS" >&2; exit 1; }
venv=build/site/venv
if [ ! -x "$venv/bin/mkdocs" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --requirement docs/site/requirements.txt
fi
rm -rf build/site/source build/site/html
"$venv/bin/python" docs/site/gallery.py --programs "$programs" --to build/site/gallery "$@"
"$venv/bin/python" docs/site/source.py --programs "$programs" --gallery build/site/gallery --to build/site/source
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --quiet --strict --config-file docs/site/mkdocs.yml
"$venv/bin/python" docs/site/look.py build/site/html
echo "open build/site/html/index.html"
