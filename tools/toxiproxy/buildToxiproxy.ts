import { buildGoTool } from "../goTools/buildGoTool";

/** The server of Toxiproxy, a real TCP proxy that makes connections go wrong on demand. See {@link buildGoTool}. */
export function buildToxiproxy(): Promise<string> {
  return buildGoTool({
    name: "toxiproxy-server",
    folder: __dirname,
    module: "github.com/Shopify/toxiproxy/v2",
    package: "github.com/Shopify/toxiproxy/v2/cmd/server",
    variables: (version) => ({ "github.com/Shopify/toxiproxy/v2.Version": version }),
    versionArguments: ["-version"],
    buildTime: "about 10 seconds",
  });
}
