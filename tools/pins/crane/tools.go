//go:build tools

// Package crane pins the tool that reads and writes OCI registries, and serves one.
package crane

import _ "github.com/google/go-containerregistry/cmd/crane"
