import { storagePackages } from "../storagePackages";

/** The files, and the imports that they may have. All paths are from the project's root, with `/`. */
export interface ImportRule {
  from: RegExp;
  /** The files of the project and the packages that they may import. */
  allowed: RegExp;
}

const node = "node:.*";
/** Any package, but no folder of the project. */
const anyPackage = "(?!(sdk|provider|simulator|examples|tools|lab|test)/)[^./].*";
const pulumi = "@pulumi/pulumi(/.*)?";

function rule(from: string, ...allowed: string[]): ImportRule {
  return { from: new RegExp(`^${from}`), allowed: new RegExp(`^(${allowed.join("|")})$`) };
}

/**
 * The import directions; the first rule that matches a file applies. examples → package name; sdk → provider;
 * hosts → pulumiEngine, rpc → engine → resources, functions → definitions → settings, support; resources and functions → platform;
 * mirror → storage; nothing → sdk, and nothing → test.
 * The simulator, which the client is tested against, shares no code with it.
 */
export const importRules: readonly ImportRule[] = [
  // Only inside the call of a `get*` function, because it loads the client.
  rule("sdk/get", "sdk/.*", "provider/lookUps", pulumi),
  // The program itself warns of settings that endanger the key: only it knows the current configuration of the stack.
  rule("sdk/settingWarnings", "sdk/.*", "provider/settings/(apiKeySource|machineSecrets)", pulumi),
  rule("sdk/requireProvider", node, "provider/support/errors", pulumi),
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
    "provider/storage/(oci/.*|attempt|http|imageStore|scheme|textFile)",
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
    // A temporary file has the same faults as any other file.
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
    "provider/mirror/(layouts/.*|transfer/.*|archive/.*|signing/.*|archivedJobs)",
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
  // A program imports these files, so they load no library.
  rule(
    "provider/definitions/",
    "provider/(definitions|settings|support)/.*",
    "provider/mirror/archive/format",
    "provider/storage/destination",
  ),
  // The libraries of these files come with the SDK.
  rule(
    "provider/engine/",
    "provider/(engine|functions|definitions|resources|journal|platform|network|settings|support)/.*",
    node,
  ),
  rule(
    "provider/status/",
    "provider/(status|definitions|resources|journal|settings|support)/.*",
    "provider/(platform/endOfStatus|network/authorities)",
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
  // Answers questions about the plugin itself before the rest is loaded.
  rule(
    "provider/hosts/plugin/(main|serve|methodTable|messages)",
    "provider/(hosts/plugin|rpc)/.*",
    "provider/support/socketUsers",
    "provider/(status/command|pulumiEngine/stateReader)",
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
  // Only the schema is loaded at each start.
  rule(
    "provider/hosts/terraform/(main|endWithTerraform|methodTable|diagnostics|schema|names|words)",
    "provider/(hosts/terraform|rpc)/.*",
    "provider/(engine/session|status/command)",
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
