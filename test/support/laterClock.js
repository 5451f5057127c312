// Loaded into a provider process: its clock is ahead of the machine's by so many milliseconds.
const now = Date.now;
const ahead = Number(process.env.CLOCK_AHEAD ?? 0);
Date.now = () => now() + ahead;
