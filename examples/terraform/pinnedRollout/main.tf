terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

# The job that every environment serves, from the output of an earlier apply. null starts a new job. An older id is a
# rollback.
variable "release" {
  type    = string
  default = null
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
  job_id = var.release

  # If the platform does not know the release, the served one stays.
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
