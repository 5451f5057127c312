// The import directions: examples -> package name; sdk -> @pulumi/pulumi; hosts -> resources -> platform, waiting -> support.
const dist = "^(sdk|provider|simulator)/";

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "nothing-imports-tests", severity: "error", from: { pathNot: "^test/" }, to: { path: "^(test|bench)/" } },
    {
      name: "sdk-knows-only-pulumi",
      comment:
        "A program loads the sdk: nothing of HTTP may come with it. Types are erased; a get* function loads the client inside its call.",
      severity: "error",
      from: { path: "^sdk/" },
      to: { pathNot: "^(sdk/|node_modules/@pulumi/pulumi/)", dependencyTypesNot: ["type-only"], dynamic: false },
    },
    {
      name: "support-stands-alone",
      severity: "error",
      from: { path: "^provider/support/" },
      to: { path: "^(provider|sdk|simulator)/", pathNot: "^provider/support/" },
    },
    {
      name: "platform-imports-support-only",
      severity: "error",
      from: { path: "^provider/platform/" },
      to: { path: "^(provider|sdk|simulator)/", pathNot: "^provider/(platform|support)/" },
    },
    {
      name: "waiting-imports-support-only",
      severity: "error",
      from: { path: "^provider/waiting/" },
      to: { path: "^(provider|sdk|simulator)/", pathNot: "^provider/(waiting|support)/" },
    },
    {
      name: "waiting-knows-no-http",
      severity: "error",
      from: { path: "^provider/(waiting|resources)/" },
      to: { path: "^(node_modules/undici|node:https?$|https?$)" },
    },
    {
      name: "resources-know-no-host",
      severity: "error",
      from: { path: "^provider/resources/" },
      to: { path: "^(provider/hosts/|sdk/|simulator/|node_modules/@pulumi/)" },
    },
    {
      name: "provider-knows-no-sdk-or-simulator",
      severity: "error",
      from: { path: "^provider/" },
      to: { path: "^(sdk|simulator|tools|examples)/" },
    },
    {
      name: "simulator-stands-alone",
      comment: "What the client is tested against must not share its code.",
      severity: "error",
      from: { path: "^simulator/" },
      to: { path: "^(sdk|provider|tools|examples)/" },
    },
    {
      name: "examples-use-the-package-name",
      severity: "error",
      from: { path: "^examples/" },
      to: { path: `${dist}|^tools/`, dependencyTypes: ["local"] },
    },
    {
      name: "packaged-code-needs-no-dev-dependency",
      severity: "error",
      from: { path: dist, pathNot: "^simulator/" },
      to: { dependencyTypes: ["npm-dev"], pathNot: "node_modules/@pulumi/pulumi" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["require", "node", "default", "types"] },
  },
};
