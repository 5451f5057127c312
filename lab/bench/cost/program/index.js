const pulumi = require("@pulumi/pulumi");

class Trivial extends pulumi.dynamic.Resource {
  constructor(name, props) {
    const provider = {
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
    };
    super(provider, name, props);
  }
}

const Site = process.env.BENCH_SIDE === "ours" ? require("pulumi-docs-platform").StaticExport : Trivial;
for (let index = 0; index < Number(process.env.BENCH_COUNT); index++) {
  new Site(`site-${index}`, { domain: `site-${index}.example.com` });
}
