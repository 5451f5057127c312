//go:build tools

// Package yaml pins the language host of YAML programs.
package yaml

import _ "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"
