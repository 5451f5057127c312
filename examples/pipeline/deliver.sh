#!/usr/bin/env bash
# Hands the values of the stack docs to the Helm release docs: a renewed link changes a Secret, a new version rolls the pods.
set -euo pipefail
umask 077
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf %s "$KUBECONFIG_CONTENT" >"$folder/kubeconfig"
pulumi stack output values --json --show-secrets --stack docs >"$folder/values.json"
# Both files each time: Helm resets the values that are in none of them.
helm upgrade --install docs "$CHART" --namespace docs --kubeconfig "$folder/kubeconfig" \
  --values values.yaml --values "$folder/values.json" --wait --timeout 10m
