# An empty Debian in a folder of its own, removed at the end. For scripts that say `set -eu`.
#   make_root RELEASE   makes it; $root is where
#   enter COMMAND       runs a line of the shell there, as a root who has just logged in

leave() {
  for mounted in dev/shm dev/pts dev proc; do
    if mountpoint -q "$root/$mounted"; then umount "$root/$mounted"; fi
  done
  rm -rf --one-file-system "$root"
}

make_root() {
  root=$(mktemp -d "${TMPDIR:-/var/tmp}/pinn-try-XXXXXX")
  chmod 755 "$root"
  trap leave EXIT
  trap 'exit 1' INT TERM
  echo "try: an empty $1"
  debootstrap --variant=minbase "$1" "$root" >"$root.log" 2>&1 || { tail "$root.log" >&2; exit 1; }
  rm "$root.log"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  for mounted in proc dev dev/pts dev/shm; do mount --bind "/$mounted" "$root/$mounted"; done
}

enter() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin ${JOBS:+CMAKE_BUILD_PARALLEL_LEVEL="$JOBS"} \
    /bin/sh -c "$1"
}
