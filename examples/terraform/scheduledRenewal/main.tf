terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}

# `terraform apply` every five minutes, by cron or by a pipeline, keeps this link good: it sends nothing until the link is due.
resource "docsplatform_export_bundle" "bundle" {
  job_id       = docsplatform_static_export.site.job_id
  renew_before = "6m"
}

output "values" {
  value     = yamlencode(provider::docsplatform::helm_values({ bundle = docsplatform_export_bundle.bundle }))
  sensitive = true
}
