// Command terraform-provider-restapi is the generic provider for REST interfaces, as its module's own command, which tells
// no version.
package main

import (
	"flag"
	"fmt"

	"github.com/Mastercard/terraform-provider-restapi/restapi"
	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"
)

// Set at the build.
var version = "none"

func main() {
	shows := flag.Bool("version", false, "tells the version")
	flag.Parse()
	if *shows {
		fmt.Println(version)
		return
	}
	plugin.Serve(&plugin.ServeOpts{ProviderFunc: restapi.Provider})
}
