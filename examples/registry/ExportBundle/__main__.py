import pulumi
import pulumi_docs_platform as docs

site = docs.StaticExport("site", domain="docs.example.com")

bundle = docs.ExportBundle("bundle", job_id=site.job_id, renew_before="30m")

pulumi.export("version", bundle.version)
pulumi.export("expiresAt", bundle.expires_at)
pulumi.export("bundleUrl", bundle.bundle_url)
