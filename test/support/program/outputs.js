/** Returns the outputs that the tests read: values of an export and of its bundle. */
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
