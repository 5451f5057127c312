import pulumi
import pulumi_docs_platform as docs

message = docs.AgentMessage(
    "links",
    job_id="job-1",
    project_id="docs",
    prompt="Repair the broken links of the last build.",
    wait_for_completion=True,
)

pulumi.export("status", message.status)
pulumi.export("prLink", message.pr_link)
