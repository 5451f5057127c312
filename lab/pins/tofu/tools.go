//go:build tools

// Package tofu pins the command line of OpenTofu.
package tofu

import _ "github.com/opentofu/opentofu/cmd/tofu"
