import { createRequire } from "node:module";

/** The compiled simulator loads four times as fast as its source. */
export const { startPlatform }: typeof import("../../simulator/index") = createRequire(__filename)(
  "../../dist/simulator/index.js",
);
