const pulumi = require("@pulumi/pulumi");

const count = Number(process.env.BENCH_COUNT);

/** The least that makes a resource: it can be created, and nothing else. */
function barest() {
  declare({
    async create(inputs) {
      return { id: inputs.domain, outs: inputs };
    },
  });
}

/** A resource that keeps its inputs and does nothing else, with the four methods of an ordinary life. */
function trivial() {
  declare({
    async diff(_, olds, news) {
      return { changes: olds.domain !== news.domain };
    },
    async create(inputs) {
      return { id: inputs.domain, outs: inputs };
    },
    async read(id, props) {
      return { id, props };
    },
    async update(_, __, news) {
      return { outs: news };
    },
  });
}

function declare(provider) {
  class Trivial extends pulumi.dynamic.Resource {
    constructor(name, props, opts) {
      super(provider, name, props, opts);
    }
  }
  for (let index = 0; index < count; index++) {
    new Trivial(`site-${index}`, { domain: `site-${index}.example.com` });
  }
}

function ours() {
  const { StaticExport } = require("pulumi-docs-platform");
  for (let index = 0; index < count; index++) {
    new StaticExport(`site-${index}`, { domain: `site-${index}.example.com` });
  }
}

({ barest, trivial, ours })[process.env.BENCH_SIDE]();
