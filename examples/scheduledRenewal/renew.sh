#!/bin/sh
# Runs `pulumi up` on the stack docs. Its state and its journal are in the volume /data. The arguments are flags of
# `pulumi up`.
set -eu
# The first process of a container ignores SIGTERM, unless it has a trap.
trap 'exit 143' TERM

# This lock allows one run at a time, even if somebody starts a Job by hand. The kernel releases it whenever the run
# ends.
exec 9>/data/lock
flock --nonblock 9 || { echo "another run is at work" >&2; exit 1; }
# So any lock of Pulumi itself is from a killed run.
rm -rf /data/state/.pulumi/locks

mkdir -p /data/state
pulumi stack select docs --create --non-interactive
if pulumi stack export --stack docs | grep -q '"pending_operations"'; then
  # Removes the engine's note about the interrupted operation. The journal has the job that this operation started.
  pulumi refresh --yes --skip-preview --clear-pending-creates --stack docs --non-interactive --color never
fi
# `exec` replaces the shell, so that SIGTERM reaches Pulumi.
exec pulumi up --yes --skip-preview --stack docs --non-interactive --color never "$@"
