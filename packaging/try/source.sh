# Both commands that README.md gives for building from source, in a tree of it: `source.sh both`, or `source.sh programs`.
set -u
programs=$(grep --max-count=1 -e '--preset programs ' README.md)
failed=0

echo "try: $programs"
began=$(date +%s)
sh -c "${programs:?README.md has no command that builds the programs}" || failed=$?
first="command 1: exit $failed, $(($(date +%s) - began)) s"
echo "try: $first"
if [ "$1" = programs ]; then exit "$failed"; fi

# .ci/run runs README's other command, and ends with how many tests passed.
began=$(date +%s)
log=$(mktemp)
{ .ci/run; echo "exit $?"; } 2>&1 | tee "$log"
code=$(sed -n '$s/^exit //p' "$log")
code=${code:-1}
echo "try: $first"
echo "try: command 2: exit $code, $(($(date +%s) - began)) s, $(tail -n 2 "$log" | head -n 1)"
[ "$failed" = 0 ] && exit "$code"
exit "$failed"
