// NODE_OPTIONS loads this file into the processes of a test stack. This file sets their clock to the time of the
// platform's clock. It changes only `Date.now`, on which the provider's decisions depend. Timers and `new Date()` use
// the real clock, so the engine's timers and the times in signatures for other servers stay correct.
const now = Date.now;
const ahead = Number(process.env.DOCS_PLATFORM_TEST_CLOCK_AHEAD ?? 0);
Date.now = () => now() + ahead;
