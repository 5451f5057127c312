import { storagePackages } from "../storagePackages";

/** All paths are from the project's root, with `/`. */
export interface ImportRule {
  from: RegExp;
  /** Matches the files and the packages that a file of `from` may import. */
  allowed: RegExp;
}

const node = "node:.*";
/** Matches any package, but no folder of the project. */
const anyPackage = "(?!(sdk|provider|simulator|examples|tools|lab|test)/)[^./].*";
const pulumi = "@pulumi/pulumi(/.*)?";

function rule(from: string, ...allowed: string[]): ImportRule {
  return { from: new RegExp(`^${from}`), allowed: new RegExp(`^(${allowed.join("|")})$`) };
}

/**
 * The permitted imports. For each file, the first rule that matches the file is used.
 * The layers, from the highest to the lowest: sdk; hosts; pulumiEngine; engine and status; resources and functions;
 * definitions; mirror, journal, polling and platform; storage; network; settings and rpc; support. No folder imports
 * from a higher layer. A rule may forbid lower layers, too.
 * The examples import the project only by its package names. Only `lab/` and `test/` may import every file.
 * The simulator shares no code with the client. The tests run the client against the simulator, and would not find a
 * mistake in code that both use.
 */
export const importRules: readonly ImportRule[] = [
  // These files import the look-ups only inside the call of a `get*` function, because the look-ups load the client.
  rule("sdk/get", "sdk/.*", "provider/lookUps", pulumi),
  // Only the program knows the stack's current configuration, so the SDK warns of settings that endanger the key.
  rule("sdk/settingWarnings", "sdk/.*", "provider/settings/(apiKeySource|machineSecrets)", pulumi),
  rule("sdk/assertProviderPackageFound", node, "provider/support/errors", pulumi),
  rule("sdk/writeValues", node, pulumi),
  rule("sdk/(helmValues|featureAvailability)", "sdk/.*", "provider/functions/(helmValues|featureAvailability)", pulumi),
  rule("sdk/", "sdk/.*", "provider/definitions/.*", pulumi),
  rule("provider/support/", "provider/support/.*", node, "pulumi-docs-platform/package.json"),
  rule("provider/settings/", "provider/(settings|support)/.*", node),
  rule("provider/network/", "provider/(network|settings|support)/.*", node, "undici"),
  rule("provider/platform/", "provider/(platform|network|settings|support)/.*", node, "undici", "zod"),
  rule("provider/polling/", "provider/(polling|support)/.*"),
  rule(
    "provider/storage/oci/",
    "provider/storage/(oci/.*|attempt|imageStore|scheme|sendToStorage|textFile)",
    "provider/(network|support)/.*",
    node,
    "undici",
  ),
  rule(
    "provider/storage/",
    "provider/storage/.*",
    "provider/(network|settings|support)/.*",
    node,
    ...storagePackages,
    "undici",
  ),
  rule("provider/journal/", "provider/(journal|settings|storage|support)/.*", node),
  rule("provider/mirror/archive/", "provider/mirror/archive/.*", "provider/support/.*", node, "tar-stream", "yauzl"),
  rule(
    "provider/mirror/transfer/",
    "provider/mirror/(transfer|archive)/.*",
    // A transfer uses these modules for the errors of its temporary files.
    "provider/storage/(attempt|file/error)",
    "provider/(network|settings|support)/.*",
    node,
    "undici",
  ),
  rule(
    "provider/mirror/signing/",
    "provider/mirror/signing/.*",
    "provider/storage/(imageStore|textFile)",
    "provider/settings/signingKey",
    "provider/support/.*",
    node,
    "zod",
  ),
  rule(
    "provider/mirror/",
    "provider/mirror/(layouts/.*|transfer/.*|archive/.*|signing/.*)",
    "provider/storage/.*",
    "provider/support/.*",
    node,
    "zod",
    "mime-types",
  ),
  rule(
    "provider/resources/",
    "provider/(resources|definitions|platform|polling|mirror|storage|network|settings|support)/.*",
    node,
  ),
  rule("provider/functions/", "provider/(functions|definitions|platform|settings|support)/.*"),
  // A program imports these files, so they must not load a library.
  rule(
    "provider/definitions/",
    "provider/(definitions|settings|support)/.*",
    "provider/mirror/archive/format",
    "provider/storage/destination",
  ),
  // The engine imports no library.
  rule(
    "provider/engine/",
    "provider/(engine|functions|definitions|resources|journal|platform|network|settings|support)/.*",
    node,
  ),
  rule(
    "provider/status/",
    "provider/(status|definitions|resources|journal|settings|support)/.*",
    "provider/(platform/classifyJobEnd|network/authorities)",
    node,
  ),
  rule(
    "provider/pulumiEngine/",
    "provider/(pulumiEngine|status|rpc|engine|journal|definitions|resources|support)/.*",
    node,
  ),
  rule(
    "provider/hosts/dynamic/",
    "provider/(hosts/dynamic|pulumiEngine|definitions|engine|resources|network|settings|support)/.*",
    pulumi,
  ),
  // These files answer questions about the plugin itself before the provider's code is loaded.
  rule(
    "provider/hosts/plugin/(main|serve|methodTable|messages)",
    "provider/(hosts/plugin|rpc)/.*",
    "provider/support/socketUsers",
    "provider/(status/statusCommand|pulumiEngine/readPulumiState)",
    "provider/support/(packageFacts|words)",
    node,
  ),
  rule(
    "provider/hosts/plugin/",
    "provider/(hosts/plugin|pulumiEngine|rpc|definitions|engine|functions|resources|network|settings|support)/.*",
    node,
    "#schema",
  ),
  rule("provider/rpc/", "provider/rpc/.*", "provider/support/socketUsers", node),
  // These files are loaded at each start, so they load only the schema.
  rule(
    "provider/hosts/terraform/(main|exitWithTerraform|methodTable|diagnostics|schema|names|words)",
    "provider/(hosts/terraform|rpc)/.*",
    "provider/(engine/session|status/statusCommand)",
    "provider/(definitions/(rules|values)|support/.*)",
    node,
  ),
  rule("provider/hosts/terraform/wire/", "provider/(hosts/terraform/wire|rpc)/.*", node),
  rule(
    "provider/hosts/terraform/",
    "provider/(hosts/terraform|status|rpc|definitions|engine|functions|journal|resources|network|settings|support)/.*",
    node,
    "@msgpack/msgpack",
  ),
  rule("provider/(index|lookUps|statusMain)\\.ts$", "provider/.*"),
  rule("simulator/stack/", "simulator/(options|platform|stack/.*)", node, pulumi),
  rule("simulator/", "simulator/.*", node, "hono(/.*)?", "@hono/.*", "zod", "markdown-it", "tar-stream"),
  rule("examples/", "examples/.*", node, "pulumi-docs-platform(/simulator|-sdk)?", "@pulumi/.*", "yaml"),
  rule("tools/", "(tools|provider|simulator)/.*", anyPackage),
  rule("(lab|test)/", ".*"),
];
