# Runs the database server ("$@") for as long as the service lives, and not longer: the parent of the postmaster and
# the reader of a pipe (stdin) whose other end only the service holds. When the service closes it or dies, however it
# dies, the server is told to end: orderly at once, by recovery later after 6 s, by force after 8 s. Says the
# postmaster's process id on stdout, ends with the server and with its exit code.
# Signals to a whole group or session are for the service to act on; the pipe tells when it has.
trap '' HUP INT TERM
exec 3<&0 0</dev/null
"$@" 3<&- >&2 &
postmaster=$!
echo "$postmaster"
(
  read -r _ <&3
  kill -INT "$postmaster" 2>/dev/null
  waited=0
  while kill -0 "$postmaster" 2>/dev/null; do
    sleep 0.2
    waited=$((waited + 1))
    [ "$waited" -eq 30 ] && kill -QUIT "$postmaster" 2>/dev/null
    [ "$waited" -eq 40 ] && kill -KILL "$postmaster" 2>/dev/null
  done
) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$postmaster"
code=$?
kill -KILL "$watcher" 2>/dev/null
exit "$code"
