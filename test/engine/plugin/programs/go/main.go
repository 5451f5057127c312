// The Pulumi program of the plugin tests, with the generated SDK. It declares the resources that resources.json lists.
package main

import (
	"encoding/json"
	"os"

	"github.com/pulumi-docs-platform/pulumi-docs-platform/sdk/go/docsplatform"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

type declaration struct {
	Site struct {
		Args struct {
			Domain   string                 `json:"domain"`
			Triggers map[string]interface{} `json:"triggers"`
		} `json:"args"`
	} `json:"site"`
	Bundle *struct{} `json:"bundle"`
}

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		text, err := os.ReadFile("resources.json")
		if err != nil {
			return err
		}
		var declared declaration
		if err := json.Unmarshal(text, &declared); err != nil {
			return err
		}
		args := &docsplatform.StaticExportArgs{Domain: pulumi.String(declared.Site.Args.Domain)}
		if declared.Site.Args.Triggers != nil {
			args.Triggers = pulumi.ToMap(declared.Site.Args.Triggers)
		}
		site, err := docsplatform.NewStaticExport(ctx, "site", args)
		if err != nil {
			return err
		}
		ctx.Export("jobId", site.JobId)
		ctx.Export("status", site.Status)
		ctx.Export("pageCount", site.PageCount)
		ctx.Export("startedAt", site.StartedAt)
		ctx.Export("completedAt", site.CompletedAt)
		if declared.Bundle == nil {
			return nil
		}
		bundle, err := docsplatform.NewExportBundle(ctx, "bundle", &docsplatform.ExportBundleArgs{JobId: site.JobId})
		if err != nil {
			return err
		}
		ctx.Export("bundleUrl", bundle.BundleUrl)
		ctx.Export("expiresAt", bundle.ExpiresAt)
		ctx.Export("issuedAt", bundle.IssuedAt)
		ctx.Export("version", bundle.Version)
		return nil
	})
}
