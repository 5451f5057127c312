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
		found := docsplatform.LookupStaticExportOutput(ctx, docsplatform.LookupStaticExportOutputArgs{
			JobId: site.JobId,
		})
		ctx.Export("status", found.Status())
		ctx.Export("pageCount", found.PageCount())
		return nil
	})
}
