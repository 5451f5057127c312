#!/bin/sh
# Updates one stack, even if an earlier run of it was killed at any moment.
# This script removes the stack's lock, so no other run of the stack may be alive. The manifests ensure that.
set -eu
stack=$1

# The first process of a container ignores SIGTERM, unless it has a trap.
trap 'exit 143' TERM

if ! pulumi stack select "$stack" --non-interactive 2>/dev/null; then
  # A kill during the creation of a stack leaves a lock of a stack that does not exist, and no command removes this
  # lock. So create the stack under a name that is used only once, and rename it.
  new=$(mktemp -u "$stack-XXXXXX")
  pulumi stack init "$new" --non-interactive
  pulumi stack rename "$stack" --stack "$new" --non-interactive
fi

# A killed run leaves its lock, and a note about its unfinished operation. The journal has the job.
pulumi cancel --yes --stack "$stack" --non-interactive
if pulumi stack export --stack "$stack" --non-interactive | grep -q '"pending_operations"'; then
  pulumi refresh --yes --skip-preview --clear-pending-creates --stack "$stack" --non-interactive --color never
fi

# `exec` replaces the shell, so that SIGTERM reaches Pulumi.
exec pulumi up --yes --skip-preview --stack "$stack" --non-interactive --color never
