terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

# Takes over the job that a generic provider has started. The block of the old resource goes.
moved {
  from = restapi_object.site
  to   = docsplatform_static_export.site
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}
