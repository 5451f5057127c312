using System.Collections.Generic;
using Pulumi;
using DocsPlatform = PulumiDocsPlatform.Sdk;

return await Deployment.RunAsync(() =>
{
    var offered = DocsPlatform.FeatureAvailability.Invoke(new()
    {
        DeploymentType = "air-gapped",
    });

    return new Dictionary<string, object?>
    {
        ["documentationSearch"] = offered.Apply(result => result.DocumentationSearch),
        ["staticExportBundle"] = offered.Apply(result => result.StaticExportBundle),
    };
});
