import pulumi
import pulumi_docs_platform as docs

job = docs.get_agent_job_output(job_id="job-1", project_id="docs")

pulumi.export("status", job.status)
pulumi.export("prLink", job.pr_link)
