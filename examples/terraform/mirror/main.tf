terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

# A folder here; for a bucket, s3://bucket/prefix?region=….
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

  # The one before stays until this one is there, and what uses it knows of it.
  lifecycle {
    create_before_destroy = true
  }
}

# No link is in these values: they may be read by everybody. Our own chart reads the sha256, and serves no other bytes.
output "values" {
  value = yamlencode(provider::docsplatform::helm_values({ mirror = docsplatform_bundle_mirror.copy, sha256 = true }))
}
