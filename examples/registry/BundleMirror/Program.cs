using System.Collections.Generic;
using Pulumi;
using DocsPlatform = PulumiDocsPlatform.Sdk;

return await Deployment.RunAsync(() =>
{
    var site = new DocsPlatform.StaticExport("site", new()
    {
        Domain = "docs.example.com",
    });

    var mirror = new DocsPlatform.BundleMirror("mirror", new()
    {
        JobId = site.JobId,
        Destination = "s3://docs-bundles/site?region=eu-central-1",
    });

    return new Dictionary<string, object?>
    {
        ["url"] = mirror.Url,
        ["sha256"] = mirror.Sha256,
    };
});
