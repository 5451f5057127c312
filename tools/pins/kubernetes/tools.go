//go:build tools

// Package servers pins the API server of Kubernetes and the controllers that turn Deployments into ReplicaSets and pods.
package servers

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
)
