import pulumi
import pulumi_docs_platform as docs

site = docs.StaticExport(
    "site",
    domain="docs.example.com",
    # A change of it starts a new job.
    triggers={"revision": "4f0c2d1"},
)

pulumi.export("jobId", site.job_id)
pulumi.export("pageCount", site.page_count)
