package main

import (
	"github.com/pulumi-docs-platform/pulumi-docs-platform/sdk/go/docsplatform"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		offered := docsplatform.FeatureAvailabilityOutput(ctx, docsplatform.FeatureAvailabilityOutputArgs{
			DeploymentType: pulumi.String("air-gapped"),
		})
		ctx.Export("documentationSearch", offered.DocumentationSearch())
		ctx.Export("staticExportBundle", offered.StaticExportBundle())
		return nil
	})
}
