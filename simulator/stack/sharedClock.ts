// Loaded by NODE_OPTIONS into the processes of a test stack: their clock is ahead of the machine's, like the platform's. Only
// `Date.now` is moved, by which the provider decides: an engine's timers, and the times that others sign with, stay right.
const now = Date.now;
const ahead = Number(process.env.DOCS_PLATFORM_TEST_CLOCK_AHEAD ?? 0);
Date.now = () => now() + ahead;
