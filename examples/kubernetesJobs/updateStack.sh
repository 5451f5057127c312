#!/bin/sh
# Brings one stack up to date, also after a run of it that was killed at any moment.
# It removes the stack's lock, so no other run of the stack may be alive. The manifests ensure that.
set -eu
stack=$1

# Without a trap, the shell that is a container's first process passes over SIGTERM.
trap 'exit 143' TERM

if ! pulumi stack select "$stack" --non-interactive 2>/dev/null; then
  # A kill while a stack is created leaves a lock of a stack that does not exist, and no command removes it. So create the
  # stack under a name that nobody uses again.
  new=$(mktemp -u "$stack-XXXXXX")
  pulumi stack init "$new" --non-interactive
  pulumi stack rename "$stack" --stack "$new" --non-interactive
fi

# A killed run leaves its lock, and a note of the operation that it was in. The journal has the job.
pulumi cancel --yes --stack "$stack" --non-interactive
if pulumi stack export --stack "$stack" --non-interactive | grep -q '"pending_operations"'; then
  pulumi refresh --yes --skip-preview --clear-pending-creates --stack "$stack" --non-interactive --color never
fi

# In the shell's place, so that SIGTERM reaches it.
exec pulumi up --yes --skip-preview --stack "$stack" --non-interactive --color never
