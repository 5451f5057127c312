//go:build tools

// Package terraform pins the newest command line of Terraform that the Go module proxy serves. Nine backends and a package
// for tests are modules of their own, which its archive does not hold: stubs stand for them.
package terraform

import _ "github.com/hashicorp/terraform"
