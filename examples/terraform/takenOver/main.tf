terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}

variable "job_id" {
  description = "The id of the job that another provider's resource has started."
  type        = string
}

# Removes the other provider's resource from the state. Its job stays.
removed {
  from = restapi_object.site

  lifecycle {
    destroy = false
  }
}

import {
  to = docsplatform_static_export.site
  id = var.job_id
}

resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}
