//go:build tools

// Package engine pins the Pulumi command line, so that `go build` can make it from the public Go modules.
package engine

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
