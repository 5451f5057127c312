terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

# The job that every environment serves, as an earlier apply has told it; null starts a new one. An older id is a rollback.
variable "release" {
  type    = string
  default = null
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
  job_id = var.release

  # A release that the platform does not know leaves the one that is served.
  lifecycle {
    create_before_destroy = true
  }
}

resource "docsplatform_export_bundle" "bundle" {
  job_id = docsplatform_static_export.site.job_id

  lifecycle {
    create_before_destroy = true
  }
}

output "release" {
  value = docsplatform_static_export.site.id
}
