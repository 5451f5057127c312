/**
 * The values that the tests read of an export and its bundle, as outputs of the stack. If one of the two is not
 * declared, it has no outputs.
 */
exports.outputs = (site, bundle) => ({
  ...(site && {
    jobId: site.jobId,
    status: site.status,
    pageCount: site.pageCount,
    startedAt: site.startedAt,
    completedAt: site.completedAt,
  }),
  ...(bundle && {
    bundleUrl: bundle.bundleUrl,
    expiresAt: bundle.expiresAt,
    issuedAt: bundle.issuedAt,
    version: bundle.version,
  }),
});
