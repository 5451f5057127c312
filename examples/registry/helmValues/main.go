package main

import (
	"github.com/pulumi-docs-platform/pulumi-docs-platform/sdk/go/docsplatform"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		site, err := docsplatform.NewStaticExport(ctx, "site", &docsplatform.StaticExportArgs{
			Domain: pulumi.String("docs.example.com"),
		})
		if err != nil {
			return err
		}
		bundle, err := docsplatform.NewExportBundle(ctx, "bundle", &docsplatform.ExportBundleArgs{
			JobId:       site.JobId,
			RenewBefore: pulumi.String("30m"),
		})
		if err != nil {
			return err
		}
		values := docsplatform.HelmValuesOutput(ctx, docsplatform.HelmValuesOutputArgs{
			Bundle: docsplatform.ExportBundleLinkArgs{
				BundleUrl: bundle.BundleUrl,
				Version:   bundle.Version,
			},
		})
		ctx.Export("staticExport", values.StaticExport())
		return nil
	})
}
