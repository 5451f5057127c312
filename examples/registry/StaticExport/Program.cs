using System.Collections.Generic;
using Pulumi;
using DocsPlatform = PulumiDocsPlatform.Sdk;

return await Deployment.RunAsync(() =>
{
    var site = new DocsPlatform.StaticExport("site", new()
    {
        Domain = "docs.example.com",
        // A change of it starts a new job.
        Triggers = new Dictionary<string, object?> { ["revision"] = "4f0c2d1" },
    });

    return new Dictionary<string, object?>
    {
        ["jobId"] = site.JobId,
        ["pageCount"] = site.PageCount,
    };
});
