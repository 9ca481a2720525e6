#!/bin/sh
# campaign.sh BUILD: everything that tries to break pinn, and one line of totals; exits with 1 when it found something.
#
#   PINN_CAMPAIGN        percent of the whole: 1, some minutes, unless set; 100, hours: a million executions of each
#                        reader, 2000 kills, 1000 forgeries, 5000 configurations
#   PINN_CAMPAIGN_PARTS  which parts, all unless set
#   PINN_CAMPAIGN_SEED   another number, another campaign; the date unless set
#
# BUILD has the programs. What is found is kept in build/campaign/findings, with the command that shows it again.
set -u
build=$1
percent=${PINN_CAMPAIGN:-1}
seed=${PINN_CAMPAIGN_SEED:-$(date +%Y%m%d)}
parts=${PINN_CAMPAIGN_PARTS:-toml residual set csv hdf5 reference checkpoint answers json stl obj ply gmsh kills io forgeries configurations}
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$source/build/campaign
findings=$work/findings
programs=$build/tests/campaign
mkdir -p "$findings" "$work/logs"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=0:malloc_context_size=1:quarantine_size_mb=16

# count OF: so many percent of a part's whole, one at least.
count() { echo $(( ($1 * percent + 99) / 100 )); }

build_harnesses() {
  printf 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' > "$work/probe.cpp"
  if ! clang++ -fsanitize=fuzzer,address "$work/probe.cpp" -o "$work/probe" 2> "$work/logs/probe.log"; then
    echo "campaign: the harnesses of the readers want clang++ with libFuzzer and AddressSanitizer."
    echo "  fix: apt-get install clang libclang-rt-14-dev, or leave the readers out with PINN_CAMPAIGN_PARTS"
    exit 2
  fi
  [ -f "$work/build.ninja" ] || cmake --preset campaign -S "$source" > "$work/logs/configure.log" || exit 2
  cmake --build "$work" --target campaign-parts > "$work/logs/build.log" || { tail "$work/logs/build.log"; exit 2; }
  "$work/tests/campaign/campaign-seeds" "$work" || exit 2
}

# One reader: goes on behind a finding, up to five of them.
fuzz() {
  reader=$1 runs=$(count 1000000) done=0 found=0
  dictionary=$source/tests/campaign/$reader.dict
  for named in "$work/$reader.dict" "$source/tests/campaign/hdf5.dict"; do
    [ -f "$dictionary" ] || dictionary=$named
  done
  while [ $done -lt "$runs" ] && [ $found -lt 5 ]; do
    log=$work/logs/$reader-$found.log
    if ! "$work/tests/campaign/fuzz_$reader" -runs=$((runs - done)) -seed=$((seed + found)) -dict="$dictionary" \
        -max_len=$(longest $reader) -timeout=20 -rss_limit_mb=2048 -entropic=0 -print_final_stats=1 \
        -artifact_prefix="$findings/$reader-" "$work/corpus/$reader" > "$log" 2>&1; then
      found=$((found + 1))
      grep -E '^campaign:|ERROR|runtime error|Test unit written' "$log" | sed "s/^/finding: $reader: /"
      echo "  again: $work/tests/campaign/fuzz_$reader FILE"
    fi
    units=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    done=$((done + ${units:-0}))
    [ -n "$units" ] || break
  done
  totals="$totals$reader $done executions, " all=$((all + found))
}

longest() {
  case $1 in checkpoint) echo 65536 ;; hdf5 | reference) echo 8192 ;; toml | gmsh | ply | stl) echo 4096 ;; *) echo 1024 ;; esac
}

# One of the other programs, which print "WHAT NUMBER: FINDINGS findings" at last.
run() {
  log=$work/logs/$1.log
  "$programs/campaign-$@" "$findings" > "$log" 2>&1
  code=$?
  grep -A3 '^finding' "$log"
  last=$(tail -1 "$log")
  found=$(printf '%s\n' "$last" | sed -n 's/.*: \([0-9]*\) findings$/\1/p')
  [ $code -gt 1 ] && found=1 last="$1 ended with code $code"
  totals="$totals${last%: *}, " all=$((all + ${found:-1}))
}

totals="" all=0
case " $parts " in *' toml '* | *' residual '* | *' set '* | *' csv '* | *' hdf5 '* | *' reference '* | *' checkpoint '* | *' answers '* | *' json '* | \
  *' stl '* | *' obj '* | *' ply '* | *' gmsh '*)
  build_harnesses ;;
esac
for part in $parts; do
  case $part in
    kills) run kills "$(count 2000)" "$seed" ;;
    io) run io "$(count 100)" "$seed" ;;
    forgeries) run forgeries "$(count 1000)" "$seed" ;;
    configurations) run configurations "$seed" "$(count 5000)" ;;
    *) fuzz "$part" ;;
  esac
done
echo "campaign: ${totals%, }: $all findings"
[ $all -eq 0 ]
