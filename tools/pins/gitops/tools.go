//go:build tools

// Package gitops pins the types of Flux, and the tool that makes schemas of them.
package gitops

import (
	_ "github.com/fluxcd/helm-controller/api/v2"
	_ "github.com/fluxcd/source-controller/api/v1"
	_ "sigs.k8s.io/controller-tools/cmd/controller-gen"
)
