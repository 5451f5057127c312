/**
 * Returns the outputs of the stack: the values of an export and its bundle that the tests read. A resource that is not
 * declared adds no outputs.
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
