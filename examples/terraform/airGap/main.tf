terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

# The folder on the disk that is carried to the other network.
variable "folder" {
  type = string
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}

# The site as an image in a folder, which is carried to the network without internet access.
resource "docsplatform_bundle_mirror" "image" {
  job_id      = docsplatform_static_export.site.job_id
  layout      = "site"
  destination = "oci-layout://${abspath(var.folder)}"

  # The old image stays until the new one exists and its users have changed to it.
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
