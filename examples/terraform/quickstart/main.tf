terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

# The environment contains DOCS_PLATFORM_BASE_URL and DOCS_PLATFORM_API_KEY.
provider "docsplatform" {}

# Starts an export job for the site and waits until it is completed.
resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}

# A link to the bundle. The first apply after (or ten minutes before) its end renews it, and changes nothing else.
resource "docsplatform_export_bundle" "bundle" {
  job_id = docsplatform_static_export.site.job_id
}

output "version" {
  value = docsplatform_export_bundle.bundle.version
}

output "expires_at" {
  value = docsplatform_export_bundle.bundle.expires_at
}
