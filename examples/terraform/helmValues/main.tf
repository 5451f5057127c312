terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}

resource "docsplatform_export_bundle" "bundle" {
  job_id = docsplatform_static_export.site.job_id
}

# The values of a self-hosted deployment, for `values` of a helm_release: { staticExport = { enabled, bundleUrl, version } }.
output "values" {
  value     = yamlencode(provider::docsplatform::helm_values({ bundle = docsplatform_export_bundle.bundle }))
  sensitive = true
}

output "features" {
  value = provider::docsplatform::feature_availability("client-hosted")
}
