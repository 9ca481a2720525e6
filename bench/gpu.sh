#!/bin/bash
# Everything that waits for a GPU, on a machine that has one and a Python with PyTorch and JAX. Programs come along built
# (.gpu/pinn.tar.xz, by bench/gpu_pack.sh), or stand in $BUILD.
#
#   bench/gpu.sh STAGE...        in the order given; each says how long it took
#
#   correct     test, memcheck and racecheck side by side, and what fails of them
#   speed       limits, small, paths, descent, step
#
#   test        all tests tagged [gpu], and none may be skipped
#   memcheck    programs, and a short training, under compute-sanitizer, which finds accesses out of bounds
#   racecheck   the same, which finds races in shared memory
#   limits      what the GPU reaches in products, tensor instructions and copies, and in dense algebra
#   small       the step where launching is what it costs, beside peers
#   paths       the step by each way through it
#   step        the step beside peers, at width 128 and 256, 100 000 points
#   large       the same at 10 000 and 1 000 000 points
#   wide        the same at width 512
#   hess        w-hess beside PyTorch and JAX
#   offload     a batch whose saved tensors do not fit, kept on the host
#   descent     ten moves of Adam: parameters moved by the host, and on the GPU without waiting
#   train       a shipped problem on the CPU and the GPU: loss, and steps per second
#
# Results go to $OUT where that is set, else to bench/results/. A stage that fails is told at the end; the others run.
# Every command has a limit of its own; on an H200 correct took 200 s.
set -u
cd "$(dirname "$0")/.."
source_dir=$PWD
out=${OUT:-$source_dir/bench/results}
python=${PYTHON:-python3}
today=$(date +%F)
mkdir -p "$out"

unpack() {
  build=$(mktemp -d)
  tar -C "$build" -xJf .gpu/pinn.tar.xz
  local wanted
  wanted=$(cat "$build/source")
  [ -e "$wanted" ] || { mkdir -p "$(dirname "$wanted")" && ln -s "$source_dir" "$wanted"; }
}
if [ -n "${BUILD:-}" ]; then build=$BUILD; else unpack; fi

# Where pip put CUDA's libraries, for a machine whose toolkit has the compiler only.
wheels=$($python -c 'import nvidia, os; print(os.path.join(list(nvidia.__path__)[0], "cu13", "lib"))' 2>/dev/null)
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}${wheels:+:$wheels}
export PATH=$PATH:/usr/local/cuda/bin
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$(mktemp -d)}

# A test program's tests of one tag on a GPU: how they ended, and that none was skipped.
tests_of() {
  local said failed=0
  said=$(timeout 260 "$build/$1" "$2" 2>&1) || failed=1
  echo "$1 $2: $(echo "$said" | tail -n 3 | tr '\n' ' ')"
  [ $failed = 0 ] || echo "$said" | tail -n 40
  ! echo "$said" | grep -A2 "test skipped:" || failed=1
  return $failed
}

tests() {
  local failed=0 jobs="" name
  for name in $(bench/gpu_pack.sh --targets); do
    [ "${name#test_}" != "$name" ] || continue
    if [ "$name" = test_configs ]; then
      tests_of $name "[gpu][float32]" & jobs="$jobs $!"
      tests_of $name "[gpu][float64]" & jobs="$jobs $!"
    else
      tests_of "$name" "[gpu]" & jobs="$jobs $!"
    fi
  done
  for job in $jobs; do wait "$job" || failed=1; done
  return $failed
}

short_training() {
  echo "$build/pinn-train configs/burgers.toml --device cuda --set stage.1.steps=20 --set stage.2.steps=3 --overwrite --out $(mktemp -d)/run"
}

sanitized() {
  local failed=0 said command
  for command in "$build/test_autograd_program [gpu]" "$(short_training)"; do
    said=$(timeout 240 compute-sanitizer --target-processes all --tool "$1" --error-exitcode 9 $command 2>&1) || failed=1
    echo "$1 $(echo "$command" | cut -d' ' -f1-2): $(echo "$said" | grep -E "ERROR SUMMARY|RACECHECK SUMMARY|assertions" | tr '\n' ' ')"
    [ $failed = 0 ] || echo "$said" | tail -n 30
  done
  return $failed
}

compare() {
  $python bench/compare.py "$@" --pinn "$build/pinn-bench" --python "$python" --device cuda --rounds 5 --out "$out"
}

# Every way through a step that a GPU has, at width,layers,points.
paths() {
  local failed=0 width layers points dtype
  for size in "$@"; do
    IFS=, read -r width layers points <<< "$size"
    for dtype in f32 f64; do
      timeout 60 "$build/pinn-bench" step --paths --row gpu- --device cuda --width "$width" --layers "$layers" \
        --points "$points" --dtype $dtype --samples 7 || failed=1
    done
  done
  return $failed
}

peers="torch-taylor3-graph torch-taylor3-compile-graph jax-jvp"

stage() {
  local failed=0
  case $1 in
    correct)
      tests & first=$!
      sanitized memcheck & second=$!
      sanitized racecheck & third=$!
      for job in $first $second $third; do wait $job || failed=1; done
      return $failed ;;
    speed) for one in limits small paths descent step; do stage $one || failed=1; done; return $failed ;;
    test) tests ;;
    memcheck|racecheck) sanitized $1 ;;
    limits) "$build/pinn-bench" gpu-limits --device cuda && timeout 60 $python bench/gpu_dense.py ;;
    small) compare step --sizes 20,8,10000 64,4,10000 64,4,100000 --rows pinn-compiled $peers --name gpu-small ;;
    paths) paths 20,8,10000 64,4,10000 64,4,100000 128,4,100000 256,6,100000 ;;
    step) compare step --sizes 128,4,100000 256,6,100000 --rows pinn-compiled $peers --seconds 0.3 --name gpu-step ;;
    large) compare step --sizes 128,4,10000 128,4,1000000 256,6,10000 256,6,1000000 --dtypes f32 \
             --rows pinn-compiled $peers --seconds 0.3 --name gpu-large ;;
    wide) compare step --sizes 512,6,10000 512,6,100000 --rows pinn-compiled $peers --seconds 0.3 --name gpu-wide ;;
    hess) compare w-hess --activations relu tanh --at-once 6 --name gpu-hess ;;
    offload) "$build/pinn-bench" gpu-offload --device cuda --samples 3 ;;
    descent) for products in exact 3xtf32; do
               for size in "20 8" "64 4" "128 4"; do
                 read -r width layers <<< "$size"
                 timeout 60 "$build/pinn-bench" gpu-descent --device cuda --width "$width" --layers "$layers" --samples 9 \
                   --products $products || failed=1
               done
             done
             return $failed ;;
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
