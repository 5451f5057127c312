#!/usr/bin/env bash
# Installs the values of the stack docs as the Helm release docs. A renewed link changes a Secret, and a new version
# rolls the pods.
set -euo pipefail
umask 077
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf %s "$KUBECONFIG_CONTENT" >"$folder/kubeconfig"
pulumi stack output values --json --show-secrets --stack docs >"$folder/values.json"
# Each upgrade needs both files, because Helm resets values that no file contains.
helm upgrade --install docs "$CHART" --namespace docs --kubeconfig "$folder/kubeconfig" \
  --values values.yaml --values "$folder/values.json" --wait --timeout 10m
