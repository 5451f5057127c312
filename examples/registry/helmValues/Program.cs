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

    var values = DocsPlatform.HelmValues.Invoke(new()
    {
        Bundle = new DocsPlatform.Inputs.ExportBundleLinkInputArgs
        {
            BundleUrl = bundle.BundleUrl,
            Version = bundle.Version,
        },
    });

    return new Dictionary<string, object?>
    {
        ["staticExport"] = values.Apply(result => result.StaticExport),
    };
});
