#!/bin/sh
# try.sh PACKAGE [RELEASE]: tries a .deb or a .whl as a new user would: in an empty Debian (bookworm, trixie; default: the one
# that a .deb is named after) it is installed, Burgers' equation is trained, reported, and asked for from C and Python.
# Needs root, debootstrap and about 1 GB in TMPDIR. The last lines are what it took.
set -eu
package=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
case ${2-$package} in *deb13* | trixie) release=trixie ;; *) release=bookworm ;; esac
kind=${package##*.}
. "$here/try/root.sh"

make_root "$release"
if [ "$kind" = whl ]; then cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl-try.crt"; fi  # of a proxy before PyPI
cp "$package" "$root/root/"
cp "$here/try/common.sh" "$here/try/$kind.sh" "$root/root/"
enter "cd /root && exec sh ./$kind.sh"
