// A dynamic provider as users write it: one resource for job and link, a fixed pause and a fixed time limit.
const pulumi = require("@pulumi/pulumi");
const { Client, sleep } = require("./client.js");

const provider = {
  async create(inputs) {
    const client = new Client(inputs.baseUrl, inputs.apiKey);
    const { jobId } = await client.startExport(inputs.domain);
    for (let attempt = 0; attempt < 120; attempt++) {
      const job = await client.getExport(jobId);
      if (job.status === "completed") {
        const { bundleUrl, expiresAt } = await client.createBundle(jobId);
        return { id: jobId, outs: { ...inputs, jobId, bundleUrl, expiresAt } };
      }
      if (job.status === "failed") {
        throw new Error(`export ${jobId} failed`);
      }
      await sleep(5000);
    }
    throw new Error(`export ${jobId} timed out`);
  },

  async diff(_, olds, news) {
    const expired = Date.parse(olds.expiresAt) < Date.now();
    return { changes: olds.domain !== news.domain || expired, replaces: expired ? ["expiresAt"] : ["domain"] };
  },
};

class DocsExport extends pulumi.dynamic.Resource {
  constructor(name, args, opts) {
    super(provider, name, { ...args, jobId: undefined, bundleUrl: undefined, expiresAt: undefined }, opts);
  }
}

const site = new DocsExport("site", {
  domain: process.env.BENCH_DOMAIN,
  baseUrl: process.env.DOCS_PLATFORM_BASE_URL,
  apiKey: process.env.DOCS_PLATFORM_API_KEY,
});

module.exports = { bundleUrl: pulumi.secret(site.bundleUrl) };
