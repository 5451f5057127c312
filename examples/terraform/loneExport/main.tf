terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

# Nothing depends on the job. So if the wait ends early, the apply would succeed with a warning.
resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"

  lifecycle {
    postcondition {
      condition     = self.status == "completed"
      error_message = "The export is not completed. Apply again: it waits for the same job."
    }
  }
}
