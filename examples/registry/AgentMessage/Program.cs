using System.Collections.Generic;
using Pulumi;
using DocsPlatform = PulumiDocsPlatform.Sdk;

return await Deployment.RunAsync(() =>
{
    var message = new DocsPlatform.AgentMessage("links", new()
    {
        JobId = "job-1",
        ProjectId = "docs",
        Prompt = "Repair the broken links of the last build.",
        WaitForCompletion = true,
    });

    return new Dictionary<string, object?>
    {
        ["status"] = message.Status,
        ["prLink"] = message.PrLink,
    };
});
