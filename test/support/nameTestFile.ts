import { expect } from "vitest";
import { testFileVariable } from "../../tools/processes/engineRuns";

// Names the test file in the environment, because `npm test` counts each file's runs of the engine, also in its child
// processes.
process.env[testFileVariable] = expect.getState().testPath ?? "";
