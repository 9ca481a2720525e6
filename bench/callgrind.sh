#!/bin/sh
# Instructions per call of grad(a*b, {a, b}, seed) on 2 x 2 matrices, with and without the bound on discovery.
#
#   bench/callgrind.sh BUILD        BUILD holds pinn-bench built for an instruction set that valgrind knows:
#                                   cmake -S . -B BUILD -G Ninja -DPINN_ARCH=x86-64-v2
#
# Two runs of 100 and 200 calls a row; their difference is 100 calls, whatever starting up and validating take.
set -e
bench="$1/pinn-bench"
instructions() {
  said=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" d-c --row "$1" --count "$2" --samples 1 2>&1)
  count=$(echo "$said" | sed -n 's/.*Collected : *\([0-9][0-9]*\).*/\1/p')
  if [ -z "$count" ]; then
    echo "$said" >&2
    exit 1
  fi
  echo "$count"
}
for row in "bound on" "bound off"; do
  few=$(instructions "$row" 100)
  many=$(instructions "$row" 200)
  echo "{\"workload\": \"d-c\", \"row\": \"$row\", \"instructions_per_100_calls\": $((many - few))}"
done
