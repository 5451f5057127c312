import { defineConfig } from "vitest/config";

export const testsVariable = "DOCS_PLATFORM_MUTATION_TESTS";

export default defineConfig({
  test: {
    include: [process.env[testsVariable] ?? ""],
    setupFiles: ["test/support/beginTestFile.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
