terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

# A folder, or a bucket: s3://bucket/prefix?region=….
variable "folder" {
  type = string
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}

# A copy at an address that does not expire.
resource "docsplatform_bundle_mirror" "copy" {
  job_id      = docsplatform_static_export.site.job_id
  destination = "file://${abspath(var.folder)}"
  public_url  = "https://files.example.com/docs"

  # The old copy stays until the new one exists and its users have changed to it.
  lifecycle {
    create_before_destroy = true
  }
}

# These values contain no link, so everybody may read them. Our own chart checks the sha256, and serves no other bytes.
output "values" {
  value = yamlencode(provider::docsplatform::helm_values({ mirror = docsplatform_bundle_mirror.copy, sha256 = true }))
}
