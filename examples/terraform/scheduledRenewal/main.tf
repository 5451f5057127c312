terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}

# Run `terraform apply` every five minutes, by cron or by a pipeline. It sends nothing until the link must be renewed.
resource "docsplatform_export_bundle" "bundle" {
  job_id       = docsplatform_static_export.site.job_id
  renew_before = "6m"
}

output "values" {
  value     = yamlencode(provider::docsplatform::helm_values({ bundle = docsplatform_export_bundle.bundle }))
  sensitive = true
}
