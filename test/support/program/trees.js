const pulumi = require("@pulumi/pulumi");
const docs = require("pulumi-docs-platform");

const foreignProvider =
  'exports.handler = () => ({ create: async (outs) => ({ id: "1", outs: { ...outs, jobId: "1" } }), read: async (id) => ({ id, props: {} }) });';

class Foreign extends pulumi.CustomResource {
  constructor(name, args, opts) {
    super("pulumi-nodejs:dynamic:Resource", name, { jobId: undefined, ...args, __provider: foreignProvider }, opts);
  }
}

class Component extends pulumi.ComponentResource {
  constructor(name, _, opts) {
    super("example:index:Component", name, {}, opts);
  }
}

const ours = {
  component: Component,
  foreign: Foreign,
  export: docs.StaticExport,
  found: docs.StaticExport,
  bundle: docs.ExportBundle,
  message: docs.AgentMessage,
};
const foreign = Object.fromEntries(Object.keys(ours).map((kind) => [kind, kind === "component" ? Component : Foreign]));

/** Declares each tree twice: with our resources, and with resources of another package. */
exports.declareTrees = (trees) => {
  for (const [suffix, classes] of [
    ["", ours],
    ["-twin", foreign],
  ]) {
    let explicit;
    const declared = new Map();
    for (const tree of trees) {
      declare(tree, undefined);
    }

    function declare(node, parent) {
      const { kind, name, args, from, id, children } = node;
      const read = from === undefined ? {} : { jobId: declared.get(from).jobId };
      const opts = { ...optionsOf(node), ...(parent && { parent }), ...(id && { id }) };
      declared.set(name, new classes[kind](`${name}${suffix}`, { ...args, ...read }, opts));
      for (const child of children) {
        declare(child, declared.get(name));
      }
    }

    function optionsOf({ kind, name, retries, dependsOn, addedByTransform, transform, alias, hasProvider }) {
      const added = declared.get(addedByTransform);
      const change = ({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, { dependsOn: [added] }) });
      if (hasProvider) {
        explicit ??= new pulumi.ProviderResource("pulumi-nodejs", `explicit${suffix}`);
      }
      const provider = kind === "component" ? { providers: { "pulumi-nodejs": explicit } } : { provider: explicit };
      let failures = 0;
      const again = retries && new pulumi.ErrorHook(`again-${name}${suffix}`, () => ++failures <= retries);
      return {
        ...(again && { hooks: { onError: [again] } }),
        dependsOn: dependsOn.map((name) => declared.get(name)),
        ...(added && { [transform]: [change] }),
        ...(alias && { aliases: [alias === "root" ? { parent: pulumi.rootStackResource } : { name: alias + suffix }] }),
        ...(hasProvider && provider),
      };
    }
  }
};
