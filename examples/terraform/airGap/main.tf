terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

# A folder of the disk that is carried.
variable "folder" {
  type = string
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}

# The site as an image in a folder, which is carried into the air gap.
resource "docsplatform_bundle_mirror" "image" {
  job_id      = docsplatform_static_export.site.job_id
  layout      = "site"
  destination = "oci-layout://${abspath(var.folder)}"

  # The one before stays until this one is there, and what uses it knows of it.
  lifecycle {
    create_before_destroy = true
  }
}

output "url" {
  value = docsplatform_bundle_mirror.image.url
}

output "digest" {
  value = docsplatform_bundle_mirror.image.digest
}

output "version" {
  value = docsplatform_bundle_mirror.image.version
}
