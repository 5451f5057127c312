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
		mirror, err := docsplatform.NewBundleMirror(ctx, "mirror", &docsplatform.BundleMirrorArgs{
			JobId:       site.JobId,
			Destination: pulumi.String("s3://docs-bundles/site?region=eu-central-1"),
		})
		if err != nil {
			return err
		}
		ctx.Export("url", mirror.Url)
		ctx.Export("sha256", mirror.Sha256)
		return nil
	})
}
