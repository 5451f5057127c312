// Plain JavaScript, because each of the many runs would compile TypeScript again.
const pulumi = require("@pulumi/pulumi");
const { ExportBundle, StaticExport } = require("pulumi-docs-platform");

// There is one stack for each site. The stack's name is the first part of the site's domain.
const site = new StaticExport("site", { domain: `${pulumi.getStack()}.${process.env.SITES_DOMAIN ?? "example.com"}` });
const bundle = new ExportBundle("bundle", { jobId: site.jobId });

exports.version = bundle.version;
exports.expiresAt = bundle.expiresAt;
