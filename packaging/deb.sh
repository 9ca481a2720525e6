#!/bin/sh
# Makes build/package/pinn_VERSION~debNN_amd64.deb for the Debian release that it runs in. Needs, besides what a build needs
# (.ci/setup), the packages dpkg-dev, file and help2man.
set -eu
cd "$(dirname "$0")/.."

for tool in dpkg-shlibdeps file help2man; do
  command -v $tool >/dev/null || { echo "error: there is no $tool: apt-get install dpkg-dev file help2man" >&2; exit 1; }
done
packaging/build.sh
. /etc/os-release
: "${VERSION_ID:?this is a Debian without a number, such as testing: set VERSION_ID}"
export DEBFULLNAME="${DEBFULLNAME:-pinn maintainers}" DEBEMAIL="${DEBEMAIL:-maintainers@pinn.example}"
PINN_DATE=$(git log -1 --format=%cD 2>/dev/null || date -R)
export PINN_DATE
umask 022
rm -f build/package/pinn_*.deb
PINN_RELEASE=deb${VERSION_ID} cpack --config packaging/deb.cmake -B build/package >build/package/cpack.log ||
  { cat build/package/cpack.log >&2; exit 1; }

# CPack counts a link as large as its file, packs three similar libraries apart, and calls ldconfig beside the trigger.
file=$(echo build/package/pinn_*.deb)
staged=build/package/staged
rm -rf $staged
dpkg-deb --raw-extract "$file" $staged
rm -f $staged/DEBIAN/postinst $staged/DEBIAN/postrm
size=$(du --apparent-size --block-size=1K --summarize $staged/usr | cut -f 1)
sed -i "s/^Installed-Size:.*/Installed-Size: $size/" $staged/DEBIAN/control
dpkg-deb --root-owner-group -Zxz -z9 --build $staged "$file" >&2
rm -rf $staged
if command -v lintian >/dev/null; then lintian --fail-on error,warning "$file" >&2; fi
ls -l "$file"
