"""The Pulumi program of the plugin tests, with the generated SDK. It declares the resources in resources.json."""

import json

import pulumi
import pulumi_docs_platform as docs

with open("resources.json", encoding="utf-8") as file:
    declared = json.load(file)

site_args = declared.get("site", {}).get("args", {})
site = docs.StaticExport("site", domain=site_args["domain"], triggers=site_args.get("triggers"))
for name, value in {
    "jobId": site.job_id,
    "status": site.status,
    "pageCount": site.page_count,
    "startedAt": site.started_at,
    "completedAt": site.completed_at,
}.items():
    pulumi.export(name, value)

if "bundle" in declared:
    bundle = docs.ExportBundle("bundle", job_id=site.job_id)
    for name, value in {
        "bundleUrl": bundle.bundle_url,
        "expiresAt": bundle.expires_at,
        "issuedAt": bundle.issued_at,
        "version": bundle.version,
    }.items():
        pulumi.export(name, value)
