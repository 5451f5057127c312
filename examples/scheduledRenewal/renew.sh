#!/bin/sh
# Runs `pulumi up` on the stack docs; its state and journal lie in the volume /data. The arguments are flags of `pulumi up`.
set -eu
# Without a trap, the shell that is a container's first process passes over SIGTERM.
trap 'exit 143' TERM

# One run at a time, also where somebody starts a Job by hand. The kernel opens this lock when the run ends, however it ends.
exec 9>/data/lock
flock --nonblock 9 || { echo "another run is at work" >&2; exit 1; }
# So a lock of Pulumi's own was left by a run that was killed.
rm -rf /data/state/.pulumi/locks

mkdir -p /data/state
pulumi stack select docs --create --non-interactive
if pulumi stack export --stack docs | grep -q '"pending_operations"'; then
  # Removes the engine's note of the operation that was cut off. The journal has what that operation started.
  pulumi refresh --yes --skip-preview --clear-pending-creates --stack docs --non-interactive --color never
fi
# In the shell's place, so that SIGTERM reaches it.
exec pulumi up --yes --skip-preview --stack docs --non-interactive --color never "$@"
