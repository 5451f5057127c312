import { createRequire } from "node:module";

/** The compiled platform. It loads in a quarter of the source's time, and engine tests use compiled code throughout. */
export const { startPlatform }: typeof import("../../simulator/index") = createRequire(__filename)(
  "../../dist/simulator/index.js",
);
