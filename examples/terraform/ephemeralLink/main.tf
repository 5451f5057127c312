terraform {
  required_version = ">= 1.11"
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}

# A link for this run only. No state and no plan contains it.
ephemeral "docsplatform_export_bundle" "link" {
  job_id = docsplatform_static_export.site.job_id
}

# An ephemeral value can go to a write-only argument, to another provider, or to a command of this run.
resource "terraform_data" "download" {
  triggers_replace = docsplatform_static_export.site.version

  provisioner "local-exec" {
    command     = "curl -fsS -o bundle.tar.gz \"$LINK\""
    environment = { LINK = ephemeral.docsplatform_export_bundle.link.bundle_url }
  }
}
