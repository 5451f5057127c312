// NODE_OPTIONS loads this file into the processes of a test stack, which then use the platform's time. Only `Date.now`
// changes, so the engine's timers and the times in signatures for other servers stay correct.
const now = Date.now;
const ahead = Number(process.env.DOCS_PLATFORM_TEST_CLOCK_AHEAD ?? 0);
Date.now = () => now() + ahead;
