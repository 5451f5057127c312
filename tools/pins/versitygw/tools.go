//go:build tools

// Package versitygw pins Versity S3 Gateway, a real S3 server that keeps its objects in a folder.
package versitygw

import _ "github.com/versity/versitygw/cmd/versitygw"
