import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Runs of the engine wait more than they work.
    maxWorkers: 3,
    // So do tests of one file that run side by side.
    maxConcurrency: 10,
    setupFiles: ["test/support/nameTestFile.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: {
      reportOnFailure: true,
      include: ["sdk/**", "provider/**", "simulator/**"],
      exclude: ["dist/**"],
      reporter: ["text", "html"],
    },
  },
});
