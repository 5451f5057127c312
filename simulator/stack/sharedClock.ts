// NODE_OPTIONS loads this file into the processes of a test stack: their clock is ahead of the machine's, like the
// platform's. It changes only `Date.now`, by which the provider decides. An engine's timers, and the times in
// signatures of others, stay right.
const now = Date.now;
const ahead = Number(process.env.DOCS_PLATFORM_TEST_CLOCK_AHEAD ?? 0);
Date.now = () => now() + ahead;
