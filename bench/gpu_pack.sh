#!/bin/bash
# Packs what bench/gpu.sh runs on a machine with a GPU, where nothing is built then: programs and test programs of a
# build, stripped, with the shared libraries that they take from this machine. A build for that machine:
#
#   cmake -S . -B build/gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DPINN_UNITY=ON -DPINN_ARCH=x86-64-v3 -DCMAKE_CUDA_ARCHITECTURES=90-real
#   ninja -C build/gpu $(bench/gpu_pack.sh --targets)
#   bench/gpu_pack.sh build/gpu        # leaves .gpu/pinn.tar.xz, which git ignores
set -eu
cd "$(dirname "$0")/.."
targets="pinn-train pinn-bench $(grep -rl '\[gpu\]' tests --include='*.cpp' | xargs -n1 dirname | sort -u |
  sed 's|^tests/||; s|/\(driver\|memory\|text\|kernels\)$||; s|/|_|g; s|^|test_|' | sort -u | grep -v architecture)"
[ "${1:-}" != --targets ] || { echo $targets; exit; }
build=$(realpath "${1:?name the build folder}")
pack=$build/pack
rm -rf "$pack"
mkdir -p "$pack/bin" "$pack/lib" .gpu
for name in $targets; do
  strip -o "$pack/bin/$name" "$build/$name"
  # By way of a wrapper: who else runs there has libraries of the same names.
  printf '#!/bin/sh\nhere=$(dirname "$(realpath "$0")")\nLD_LIBRARY_PATH=$here/lib:$LD_LIBRARY_PATH exec "$here/bin/%s" "$@"\n' \
    "$name" > "$pack/$name"
  chmod +x "$pack/$name"
done
for name in $targets; do ldd "$build/$name"; done | awk '$3 ~ /^\// { print $3 }' | sort -u |
  grep -v -E '/(libc|libm|libmvec|libgcc_s|libstdc\+\+|libdl|libresolv|libpthread|librt)\.so' |
  while read -r library; do strip -o "$pack/lib/$(basename "$library")" "$(realpath "$library")"; done
realpath . > "$pack/source"  # where test programs look for files
tar -C "$pack" -cf - . | xz -T2 -3 > .gpu/pinn.tar.xz
ls -l .gpu/pinn.tar.xz
