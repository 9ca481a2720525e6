#!/bin/sh
# The library for three instruction sets, x86-64-v2, v3 and v4, in build/package/vN; with the first the programs too.
# PINN_CUDA=ON builds for GPUs as well; JOBS compile at once (default: as many as there are processors).
set -eu
cd "$(dirname "$0")/.."

multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for level in 2 3 4; do
  build=build/package/v$level
  folder=lib/$multiarch
  target=pinn
  [ $level = 2 ] && target=programs || folder=$folder/glibc-hwcaps/x86-64-v$level
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DPINN_ARCH=x86-64-v$level \
    -DPINN_CUDA="${PINN_CUDA:-OFF}" -DPINN_MPI=OFF -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="$folder" \
    -DCMAKE_SKIP_INSTALL_RPATH=ON -DPINN_PYTHON_FOLDER=lib/python3/dist-packages \
    -DCMAKE_SHARED_LINKER_FLAGS=-Wl,-z,relro,-z,now -DCMAKE_EXE_LINKER_FLAGS=-Wl,-z,relro,-z,now >&2
  cmake --build "$build" --target $target ${JOBS:+--parallel "$JOBS"} >&2
done
