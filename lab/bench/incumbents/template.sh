#!/usr/bin/env bash
# A script as many pipelines run it today: it starts a job, polls it, and creates a link. It has the usual faults: it does
# not check the status of answers, its pause is fixed, it stops after ten minutes, and every run starts a new job.
json() { node -pe 'JSON.parse(require("fs").readFileSync(0))[process.argv[1]]' "$1"; }

JOB_ID=$(curl -s -X POST "$DOCS_PLATFORM_BASE_URL/v1/static-export/jobs" \
  -H "Authorization: Bearer $DOCS_PLATFORM_API_KEY" \
  -H "Content-Type: application/json" \
  -d "{\"domain\": \"$BENCH_DOMAIN\"}" | json jobId)
echo "Export job: $JOB_ID"

for _ in $(seq 1 60); do
  STATUS=$(curl -s "$DOCS_PLATFORM_BASE_URL/v1/static-export/jobs/$JOB_ID" \
    -H "Authorization: Bearer $DOCS_PLATFORM_API_KEY" | json status)
  echo "Status: $STATUS"
  if [ "$STATUS" = "completed" ]; then break; fi
  if [ "$STATUS" = "failed" ]; then echo "Export failed"; exit 1; fi
  sleep 10
done
if [ "$STATUS" != "completed" ]; then echo "Timed out"; exit 1; fi

BUNDLE_URL=$(curl -s -X POST "$DOCS_PLATFORM_BASE_URL/v1/static-export/jobs/$JOB_ID/bundle" \
  -H "Authorization: Bearer $DOCS_PLATFORM_API_KEY" | json bundleUrl)
echo "bundle_url=$BUNDLE_URL"
