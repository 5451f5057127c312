/** The values of an export and its bundle that the tests read. */
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
