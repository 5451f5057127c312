package main

import (
	"github.com/pulumi-docs-platform/pulumi-docs-platform/sdk/go/docsplatform"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		site, err := docsplatform.NewStaticExport(ctx, "site", &docsplatform.StaticExportArgs{
			Domain: pulumi.String("docs.example.com"),
			// A change of it starts a new job.
			Triggers: pulumi.Map{"revision": pulumi.String("4f0c2d1")},
		})
		if err != nil {
			return err
		}
		ctx.Export("jobId", site.JobId)
		ctx.Export("pageCount", site.PageCount)
		return nil
	})
}
