import pulumi
import pulumi_docs_platform as docs

site = docs.StaticExport("site", domain="docs.example.com")

found = docs.get_static_export_output(job_id=site.job_id)

pulumi.export("status", found.status)
pulumi.export("pageCount", found.page_count)
