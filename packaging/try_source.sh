#!/bin/sh
# try_source.sh [--programs] [RELEASE]: tries the commands of README.md that build from source as a new user would: in an empty
# Debian (bookworm, trixie; default: bookworm), of the tree as it was committed last. Both are run as README prints them; with
# --programs the one alone that builds the programs, not the one that builds and runs the tests.
# Needs root, debootstrap, git, a network and about 6 GB in TMPDIR; JOBS=2 holds the build to two processors. The last lines
# are what it came to.
set -eu
here=$(dirname "$(realpath "$0")")
which=both
if [ "${1-}" = --programs ]; then
  which=programs
  shift
fi
. "$here/try/root.sh"

make_root "${1-bookworm}"
git clone --quiet --no-hardlinks "$here/.." "$root/root/pinn"
echo "try: the tree of $(git -C "$here" log -1 --format='%h, %s')"
enter "cd /root/pinn && exec sh packaging/try/source.sh $which"
