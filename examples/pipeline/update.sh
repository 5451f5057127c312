#!/usr/bin/env bash
# Runs `pulumi up` on the stack docs, also after a run that was killed. The arguments are its flags.
set -euo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() {
  pulumi "$@" --yes --skip-preview --stack docs --non-interactive --color never 2>&1 | tee "$log"
}

# True if this user has locked the stack. Only these workflows use this user, and their common group allows one run at a
# time, so the run that took the lock is dead.
locked_by_dead_run() {
  local locks
  locks=$(grep -o 'created by .* (pid' "$log") && ! grep -qv "created by $(id -un)@" <<<"$locks"
}

if ! run up "$@"; then
  locked_by_dead_run || exit 1
  pulumi cancel --yes --stack docs --non-interactive
  # Removes the engine's note about the interrupted operation. The journal has the job that this operation started.
  run refresh --clear-pending-creates
  run up "$@"
fi
