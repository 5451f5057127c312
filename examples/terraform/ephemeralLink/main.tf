terraform {
  required_version = ">= 1.11"
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}

# A link for this run alone: it lies in no state and in no plan.
ephemeral "docsplatform_export_bundle" "link" {
  job_id = docsplatform_static_export.site.job_id
}

# Whatever takes an ephemeral value may have it: a write-only argument, another provider, or a command of this run.
resource "terraform_data" "download" {
  triggers_replace = docsplatform_static_export.site.version

  provisioner "local-exec" {
    command     = "curl -fsS -o bundle.tar.gz \"$LINK\""
    environment = { LINK = ephemeral.docsplatform_export_bundle.link.bundle_url }
  }
}
