package main

import (
	"github.com/pulumi-docs-platform/pulumi-docs-platform/sdk/go/docsplatform"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		job := docsplatform.GetAgentJobOutput(ctx, docsplatform.GetAgentJobOutputArgs{
			JobId:     pulumi.String("job-1"),
			ProjectId: pulumi.String("docs"),
		})
		ctx.Export("status", job.Status())
		ctx.Export("prLink", job.PrLink())
		return nil
	})
}
