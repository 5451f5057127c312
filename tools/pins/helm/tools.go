//go:build tools

// Package helm pins the command line of Helm.
package helm

import _ "helm.sh/helm/v4/cmd/helm"
