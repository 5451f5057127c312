//go:build tools

// Package toxiproxy pins the server of Toxiproxy, a real TCP proxy that makes connections go wrong on demand.
package toxiproxy

import _ "github.com/Shopify/toxiproxy/v2/cmd/server"
