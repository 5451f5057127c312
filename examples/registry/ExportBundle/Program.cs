using System.Collections.Generic;
using Pulumi;
using DocsPlatform = PulumiDocsPlatform.Sdk;

return await Deployment.RunAsync(() =>
{
    var site = new DocsPlatform.StaticExport("site", new()
    {
        Domain = "docs.example.com",
    });

    var bundle = new DocsPlatform.ExportBundle("bundle", new()
    {
        JobId = site.JobId,
        RenewBefore = "30m",
    });

    return new Dictionary<string, object?>
    {
        ["version"] = bundle.Version,
        ["expiresAt"] = bundle.ExpiresAt,
        ["bundleUrl"] = bundle.BundleUrl,
    };
});
