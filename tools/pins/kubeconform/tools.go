//go:build tools

// Package kubeconform pins the judge of manifests against JSON schemas.
package kubeconform

import _ "github.com/yannh/kubeconform/cmd/kubeconform"
