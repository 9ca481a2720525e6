#!/bin/bash
# Everything that waits for a GPU, on a machine that has one, CUDA's compiler, CMake, Ninja and a Python with PyTorch
# and JAX, but perhaps none of the libraries that pinn is built with: those come along in .gpu/ (bench/gpu_packages.sh).
#
#   bench/gpu.sh STAGE...        in the order given; each says how long it took
#
#   build       everything below needs it; what is built already stays
#   test        all tests tagged [gpu], and none may be skipped
#   memcheck    the same under compute-sanitizer, which finds accesses out of bounds
#   racecheck   the same, which finds races in shared memory
#   limits      what the GPU reaches in products and copies
#   small       the step where launching is what it costs, also by each way through it
#   step        the step beside JAX and PyTorch, at width 128 and 256, 10 000 to 1 000 000 points; and by each way
#   wide        the same at width 512
#   hess        w-hess beside PyTorch and JAX
#   offload     a batch whose saved tensors do not fit, kept on the host
#   descent     ten moves of Adam: parameters moved by the host, and on the GPU without waiting
#   train       a shipped problem on the CPU and the GPU: loss, and steps per second
#
# Results go to $OUT where that is set, else to bench/results/. A stage that fails is told at the end; the others run.
set -u
cd "$(dirname "$0")/.."
source_dir=$PWD
out=${OUT:-$source_dir/bench/results}
build=${BUILD:-$source_dir/build/gpu}
python=${PYTHON:-python3}
mkdir -p "$out" "$build"
today=$(date +%F)

# Where pip put CUDA's libraries, for a machine whose toolkit has the compiler only.
wheels=$($python -c 'import nvidia, os; print(os.path.join(list(nvidia.__path__)[0], "cu13", "lib"))' 2>/dev/null)
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}${wheels:+:$wheels}
export PATH=$PATH:/usr/local/cuda/bin
export XDG_CACHE_HOME=$build/cache

unpack() {
  root=$build/root
  [ -e "$root/ready" ] && return
  mkdir -p "$root/hdf5"
  for package in .gpu/*.deb; do dpkg -x "$package" "$root" || return 1; done
  ln -sfn "$root/usr/include/hdf5/serial" "$root/hdf5/include"
  ln -sfn "$root/usr/lib/x86_64-linux-gnu/hdf5/serial" "$root/hdf5/lib"
  cat > "$root/pkg-config" <<END
#!/bin/sh
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/x86_64-linux-gnu/pkgconfig
LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu exec $root/usr/bin/pkgconf "\$@"
END
  chmod +x "$root/pkg-config"
  touch "$root/ready"
}

build() {
  options=()
  if [ -d .gpu ]; then
    unpack || return 1
    libraries=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu
    # An rpath of the old kind: libraries find their own libraries by it, too.
    options=(-DCMAKE_PREFIX_PATH="$root/usr" -DHDF5_ROOT="$root/hdf5" -DPKG_CONFIG_EXECUTABLE="$root/pkg-config"
             -DCMAKE_EXE_LINKER_FLAGS="-Wl,--disable-new-dtags,-rpath,$libraries")
  fi
  cmake -S . -B "$build" -G Ninja -DPINN_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90-real "${options[@]}" &&
    ninja -C "$build" pinn-train pinn-bench $(tests)
}

# Test programs with tests tagged [gpu].
tests() {
  grep -rl '\[gpu\]' tests --include='*.cpp' | xargs -n1 dirname | sort -u | sed 's|^|test_|; s|test_tests/|test_|; s|/|_|g'
}

run_tests() {  # a command in front, and a limit in seconds for each program
  local failed=0 limit=$1
  shift
  for name in $(tests); do
    said=$(timeout "$limit" "$@" "$build/$name" "[gpu]" 2>&1) || failed=1
    echo "$name: $(echo "$said" | tail -n 4)"
    if echo "$said" | grep -q "test skipped:"; then
      echo "$said" | grep -A2 "test skipped:" | head -n 3
      failed=1
    fi
  done
  return $failed
}

compare() {
  $python bench/compare.py "$@" --pinn "$build/pinn-bench" --python "$python" --device cuda --rounds 5 --out "$out"
}

# Every way through a step that a GPU has, at width,layers,points.
paths() {
  local failed=0 width layers points
  for size in "$@"; do
    IFS=, read -r width layers points <<< "$size"
    "$build/pinn-bench" step --paths --row gpu- --device cuda --width "$width" --layers "$layers" --points "$points" ||
      failed=1
  done
  return $failed
}

peers="torch-eager torch-taylor torch-taylor-compile jax-jvp jax-grad jax-jet"

stage() {
  local said
  case $1 in
    build) build ;;
    test) run_tests 300 ;;
    memcheck) run_tests 500 compute-sanitizer --tool memcheck --error-exitcode 9 ;;
    racecheck) run_tests 500 compute-sanitizer --tool racecheck --error-exitcode 9 ;;
    limits) "$build/pinn-bench" gpu-limits --device cuda ;;
    small) compare step --sizes 20,8,10000 64,4,10000 --rows pinn-compiled $peers --name gpu-small
      said=$?
      paths 20,8,10000 32,4,10000 64,4,10000 64,4,100000 && return $said ;;
    step) paths 96,4,100000 128,4,100000 256,6,100000
      said=$?
      compare step --sizes 128,4,10000 128,4,100000 128,4,1000000 256,6,10000 256,6,100000 256,6,1000000 \
        --dtypes f32 --rows pinn-compiled $peers --seconds 0.3 --name gpu-step && return $said ;;
    wide) compare step --sizes 512,6,10000 512,6,100000 --rows pinn-compiled $peers --seconds 0.3 --name gpu-wide ;;
    hess) compare w-hess --name gpu-hess ;;
    offload) "$build/pinn-bench" gpu-offload --device cuda --samples 3 ;;
    descent) for size in "20 8" "64 4" "128 4"; do
               read -r width layers <<< "$size"
               "$build/pinn-bench" gpu-descent --device cuda --width "$width" --layers "$layers" --samples 9 || return 1
             done ;;
    train) training ;;
    *) echo "there is no stage '$1'"; return 2 ;;
  esac
}

training() {
  for device in cpu cuda; do
    timeout 200 "$build/pinn-train" configs/burgers.toml --device $device --set run.precision=float64 --overwrite \
      --out "$build/burgers-$device" --set stage.1.steps=1000 --set stage.2.steps=200 || return 1
    tail -n 1 "$build/burgers-$device/metrics.jsonl"
  done
}

failed=""
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true
for name in "$@"; do
  began=$SECONDS
  stage "$name" 2>&1 | tee "$out/$today-$name.log"
  [ "${PIPESTATUS[0]}" -eq 0 ] || failed="$failed $name"
  echo "== $name: $((SECONDS - began)) s"
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
