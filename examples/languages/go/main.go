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
			JobId: site.JobId,
		})
		if err != nil {
			return err
		}
		values := docsplatform.HelmValuesOutput(ctx, docsplatform.HelmValuesOutputArgs{
			Bundle: docsplatform.ExportBundleLinkArgs{BundleUrl: bundle.BundleUrl, Version: bundle.Version},
		})
		ctx.Export("jobId", site.JobId)
		ctx.Export("version", bundle.Version)
		ctx.Export("expiresAt", bundle.ExpiresAt)
		ctx.Export("bundleUrl", bundle.BundleUrl)
		ctx.Export("values", values)
		return nil
	})
}
