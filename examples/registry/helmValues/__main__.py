import pulumi
import pulumi_docs_platform as docs

site = docs.StaticExport("site", domain="docs.example.com")

bundle = docs.ExportBundle("bundle", job_id=site.job_id, renew_before="30m")

values = docs.helm_values_output(
    bundle={"bundle_url": bundle.bundle_url, "version": bundle.version},
)

pulumi.export("staticExport", values.static_export)
