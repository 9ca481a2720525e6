#!/bin/sh
# try.sh PACKAGE [RELEASE]: tries a .deb or a .whl as a new user would: in an empty Debian (bookworm, trixie; default: the one
# that a .deb is named after) it is installed, Burgers' equation is trained, reported, and asked for from C and Python.
# Needs root, debootstrap and about 1 GB in TMPDIR. The last lines are what it took.
set -eu
package=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
case ${2-$package} in *deb13* | trixie) release=trixie ;; *) release=bookworm ;; esac
kind=${package##*.}

root=$(mktemp -d "${TMPDIR:-/var/tmp}/pinn-try-XXXXXX")
leave() {
  for mounted in proc dev; do
    if mountpoint -q "$root/$mounted"; then umount "$root/$mounted"; fi
  done
  rm -rf --one-file-system "$root"
}
chmod 755 "$root"
trap leave EXIT
trap 'exit 1' INT TERM
echo "try: an empty $release"
debootstrap --variant=minbase $release "$root" >"$root.log" 2>&1 || { tail "$root.log" >&2; exit 1; }
rm "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
if [ "$kind" = whl ]; then cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl-try.crt"; fi  # of a proxy before PyPI
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
cp "$package" "$root/root/"
cp "$here/try/common.sh" "$here/try/$kind.sh" "$root/root/"
chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin /bin/sh -c "cd /root && exec sh ./$kind.sh"
