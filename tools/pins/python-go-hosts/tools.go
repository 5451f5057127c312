//go:build tools

// Package sdk pins the language hosts of Python and Go programs. v3.66.0 is the last version whose module holds them;
// they work with later engines and SDKs.
package sdk

import (
	_ "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go"
	_ "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"
)
