import { expect } from "vitest";
import { testFileVariable } from "../../tools/processes/engineRuns";

// `npm test` counts how often each test file starts the engine, also through the processes that it starts.
process.env[testFileVariable] = expect.getState().testPath ?? "";
