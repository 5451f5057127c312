package main

import (
	"github.com/pulumi-docs-platform/pulumi-docs-platform/sdk/go/docsplatform"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		message, err := docsplatform.NewAgentMessage(ctx, "links", &docsplatform.AgentMessageArgs{
			JobId:             pulumi.String("job-1"),
			ProjectId:         pulumi.String("docs"),
			Prompt:            pulumi.String("Repair the broken links of the last build."),
			WaitForCompletion: pulumi.Bool(true),
		})
		if err != nil {
			return err
		}
		ctx.Export("status", message.Status)
		ctx.Export("prLink", message.PrLink)
		return nil
	})
}
