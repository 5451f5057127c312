//go:build tools

// Package actionlint pins the linter of GitHub Actions workflows.
package actionlint

import _ "github.com/rhysd/actionlint/cmd/actionlint"
