// Loaded into a provider process: its clock is an hour ahead of what it was in the plan.
const now = Date.now;
Date.now = () => now() + 3_600_000;
