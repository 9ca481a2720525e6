# What a new user does in an empty Debian, whichever way pinn came there.
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

now() { date +%s.%N; }
install() { apt-get install --yes --no-install-recommends "$@" >install.log 2>&1 || { tail install.log; exit 1; }; }
say() { echo "try: $*"; }

# From nothing to a report. Call with the time at which the installation began.
train_and_report() {
  installed=$(now)
  pinn-train --example burgers >burgers.toml
  pinn-train burgers.toml --quiet | grep '^error: '
  trained=$(now)
  pinn-report runs/burgers
  reported=$(now)
  grep -q '</html>' runs/burgers/report.html
  say "$(echo "$1 $installed $trained $reported" | awk '{ printf "installed in %.1f s, trained in %.1f s, reported of " \
    "in %.1f s, together %.1f s", $2 - $1, $3 - $2, $4 - $3, $4 - $1 }')"
}

# Each library, with the loader held to an instruction set: is it the one that is used, and does it find the same?
# Call with a program; --inhibit-cache where the libraries are not in the cache of the loader.
compare_libraries() {
  for level in 2 3 4; do
    loader="/lib64/ld-linux-x86-64.so.2 --glibc-hwcaps-mask x86-64-v$level"
    used=$($loader --list "$1" | sed -n 's/.*libpinn.so.0 => \([^ ]*\).*/\1/p')
    case $level:$used in
      2:*hwcaps*) say "$used is used for v2" && exit 1 ;;
      2:* | *:*hwcaps/x86-64-v$level/*) say "v$level uses $used" ;;
      *) say "v$level uses $used: not this processor's?" && continue ;;
    esac
    $loader "$1" burgers.toml --quiet --overwrite --out runs/v$level --set stage.1.steps=30 --set stage.2.steps=30 >/dev/null 2>&1
    $loader "$(dirname "$1")/pinn-export" runs/v$level --on grid --grid x=101,t=51 --fields u -o v$level.csv >/dev/null 2>&1
    if [ $level != 2 ]; then
      paste -d , v2.csv v$level.csv | awk -F , -v level=$level '
        /^[-0-9]/ { d = $3 - $6; d = d < 0 ? -d : d; if (d > most) most = d; n++ }
        END { printf "try: u of v2 and of v%d at %d points: at most %.1e apart\n", level, n, most; exit !(n == 5151 && most < 1e-6) }'
    fi
  done
}
