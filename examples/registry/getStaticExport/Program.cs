using System.Collections.Generic;
using Pulumi;
using DocsPlatform = PulumiDocsPlatform.Sdk;

return await Deployment.RunAsync(() =>
{
    var site = new DocsPlatform.StaticExport("site", new()
    {
        Domain = "docs.example.com",
    });

    var found = DocsPlatform.GetStaticExport.Invoke(new()
    {
        JobId = site.JobId,
    });

    return new Dictionary<string, object?>
    {
        ["status"] = found.Apply(result => result.Status),
        ["pageCount"] = found.Apply(result => result.PageCount),
    };
});
