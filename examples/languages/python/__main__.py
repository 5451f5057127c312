import pulumi
import pulumi_docs_platform as docs

site = docs.StaticExport("site", domain="docs.example.com")
bundle = docs.ExportBundle("bundle", job_id=site.job_id)
values = docs.helm_values_output(bundle={"bundle_url": bundle.bundle_url, "version": bundle.version})

pulumi.export("jobId", site.job_id)
pulumi.export("version", bundle.version)
pulumi.export("expiresAt", bundle.expires_at)
pulumi.export("bundleUrl", bundle.bundle_url)
pulumi.export("values", {"staticExport": values.static_export})
