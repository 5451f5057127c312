//go:build tools

// Package languageHosts pins the Node.js language host. v3.66.0 is the last version whose module holds it;
// it works with later engines and SDKs.
package languageHosts

import _ "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs"
