#!/bin/bash
# Stands in for systemd, which no test can boot: starts and ends the one service of the guide as its unit says. What the
# unit forbids is tried in test/cli/self-hosting.test.ts, with the real filter of system calls.
# usage: systemctl [enable --now | start | stop | restart] latchkey
set -euo pipefail
unit=/etc/systemd/system/latchkey.service
pid=/run/latchkey.pid
value() { sed -n "s/^$1=//p" "$unit"; }

stop() {
  if [ -e "$pid" ]; then
    kill "$(cat "$pid")"
    while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.1; done
    rm "$pid"
  fi
}

start() {
  cd "$(value WorkingDirectory)"
  user=$(value User)
  setsid setpriv --reuid "$user" --regid "$user" --init-groups env -i PATH=/usr/bin $(value Environment) \
    bash -c "umask $(value UMask); exec $(value ExecStart)" >>/var/log/journal 2>&1 </dev/null &
  echo $! >"$pid"
  # systemd does not wait for it either, but the next command of a person comes later.
  until node -e "fetch('http://127.0.0.1:8787/ping', { headers: { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https' } }).catch(() => process.exit(1))"; do
    kill -0 "$(cat "$pid")" || { rm "$pid"; exit 1; }
    sleep 0.3
  done
}

case "$1" in
  enable | start) start ;;
  stop) stop ;;
  restart) stop; start ;;
esac
