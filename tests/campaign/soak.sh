#!/bin/sh
# Trains a tiny network for many steps and tells what a step costs at the start and at the end, what
# memory and files it takes, and what a resume takes. Ends with 1 when a step of the last tenth costs
# more than 1.05 of one of the first, or when memory or a file is beyond its rule
# (docs/output_files.md). Costs are the process's own time, so that others may be at work beside it.
#
#   tests/campaign/soak.sh [STEPS [BUILD_FOLDER]]       10000000 and build/release; takes minutes
steps=${1:-10000000}
build=$(cd "${2:-build/release}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

cat > soak.toml <<'END'
[problem]
coordinates = { x = [0.0, 1.0] }
fields      = ["u"]

[[equation]]
residual = "u_x = u"
points   = 4

[network]
layers = [2]

[[stage]]
optimizer = "adam"
rate      = 1e-6

[run]
threads = 1
END

# Runs a command; `peak` is the most memory that it had, in KiB. Writes the last step in FOLDER's
# metrics.jsonl and the processor time so far, in hundredths of a second, to FOLDER.samples.
measured() {
  folder=$1
  shift
  "$@" > out.txt 2> err.txt &
  pid=$!
  peak=0
  while kill -0 "$pid" 2> /dev/null; do
    now=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status" 2> /dev/null)
    [ "${now:-0}" -gt "$peak" ] && peak=$now
    step=$(tail -n 1 "$folder/metrics.jsonl" 2> /dev/null | sed -n 's/^{"step":\([0-9]*\),.*/\1/p')
    time=$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$pid/stat" 2> /dev/null)
    [ -n "$step" ] && [ -n "$time" ] && echo "$step $time" >> "$folder.samples"
    sleep 0.2
  done
  wait "$pid" || { cat err.txt >&2; exit 2; }
}

tenth=$((steps / 10))
measured first "$build/pinn-train" soak.toml --out first --quiet --set "stage.1.steps=$tenth"
first_memory=$peak
measured run "$build/pinn-train" soak.toml --out run --quiet --set "stage.1.steps=$steps"
memory=$peak
metrics=$(wc -c < run/metrics.jsonl)
lines=$(wc -l < run/metrics.jsonl)
checkpoint=$(wc -c < run/checkpoint.h5)
cp run.samples samples
measured run "$build/pinn-train" run --resume --quiet --set "stage.1.steps=$((steps + tenth / 10))"
resume_memory=$peak

awk -v steps="$steps" -v lines="$lines" -v metrics="$metrics" -v checkpoint="$checkpoint" \
    -v first_memory="$first_memory" -v memory="$memory" -v resume_memory="$resume_memory" '
  NR == 1 { step_0 = $1; time_0 = $2 }
  $1 <= steps * 0.1 { step_1 = $1; time_1 = $2 }
  $1 <= steps * 0.9 { step_9 = $1; time_9 = $2 }
  { step_10 = $1; time_10 = $2 }
  END {
    if (step_1 <= step_0 || step_10 <= step_9) { print "soak: too few steps to tell"; exit 2 }
    first = (time_1 - time_0) / (step_1 - step_0) * 1e4
    last = (time_10 - time_9) / (step_10 - step_9) * 1e4
    most = 10010 + (steps > 1e5 ? 5000 * (log(steps / 1e5) / log(2) + 1) : 0)
    printf "%d steps: %.3f us a step in the first tenth, %.3f in the last, ratio %.3f\n", \
      steps, first, last, last / first
    printf "memory %.1f MiB for a tenth of the steps, %.1f for all, %.1f to resume\n", \
      first_memory / 1024, memory / 1024, resume_memory / 1024
    printf "metrics.jsonl %d lines of at most %d, %.1f MiB; checkpoint.h5 %.1f MiB\n", \
      lines, most, metrics / 1048576, checkpoint / 1048576
    failed = last > 1.05 * first || lines > most || memory > first_memory + 20480 ||
             checkpoint > 200 * most + 1048576
    print failed ? "soak: failed" : "soak: good"
    exit failed
  }' samples
