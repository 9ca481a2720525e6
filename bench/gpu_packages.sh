#!/bin/sh
# Fetches the Debian packages that pinn is built with into .gpu/, which git ignores, for a machine with a GPU that can
# fetch nothing (bench/gpu.sh unpacks them there). Run it on Debian, where pinn is built:
#
#   bench/gpu_packages.sh build/release/pinn-train     # a program of pinn: whose shared libraries it takes to run
set -eu
program=$(realpath "${1:?name a program of pinn, as in build/release/pinn-train}")
cd "$(dirname "$0")/.."
mkdir -p .gpu/partial
cd .gpu
build="libfmt-dev libeigen3-dev libhdf5-dev libpng-dev libagg-dev libcpp-httplib-dev libssl-dev libbrotli-dev libcli11-dev libtomlplusplus-dev catch2 libaec-dev zlib1g-dev pkgconf-bin libpkgconf3"
# What the machine has in any case: the C and C++ libraries of its own compiler.
run=$(ldd "$program" | awk '$3 ~ /^\// { print $3 }' | grep -v -E '/(libc|libm|libmvec|libgcc_s|libstdc\+\+|libdl|libresolv|libpthread|librt)\.so' |
      xargs -n1 realpath | sed 's|^/lib/|/usr/lib/|' | xargs -n1 sh -c 'dpkg -S "$0" 2>/dev/null || dpkg -S "${0#/usr}"' | cut -d: -f1 | sort -u)
apt-get download $build $run
rm -rf partial
du -sh .
