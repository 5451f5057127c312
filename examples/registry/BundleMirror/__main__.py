import pulumi
import pulumi_docs_platform as docs

site = docs.StaticExport("site", domain="docs.example.com")

mirror = docs.BundleMirror(
    "mirror",
    job_id=site.job_id,
    destination="s3://docs-bundles/site?region=eu-central-1",
)

pulumi.export("url", mirror.url)
pulumi.export("sha256", mirror.sha256)
