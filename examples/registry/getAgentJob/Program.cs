using System.Collections.Generic;
using Pulumi;
using DocsPlatform = PulumiDocsPlatform.Sdk;

return await Deployment.RunAsync(() =>
{
    var job = DocsPlatform.GetAgentJob.Invoke(new()
    {
        JobId = "job-1",
        ProjectId = "docs",
    });

    return new Dictionary<string, object?>
    {
        ["status"] = job.Apply(result => result.Status),
        ["prLink"] = job.Apply(result => result.PrLink),
    };
});
