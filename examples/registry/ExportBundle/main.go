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
		ctx.Export("version", bundle.Version)
		ctx.Export("expiresAt", bundle.ExpiresAt)
		ctx.Export("bundleUrl", bundle.BundleUrl)
		return nil
	})
}
