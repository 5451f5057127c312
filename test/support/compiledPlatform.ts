import { createRequire } from "node:module";

/** The compiled simulator. It loads in a quarter of the time that its source needs. */
export const { startPlatform }: typeof import("../../simulator/index") = createRequire(__filename)(
  "../../dist/simulator/index.js",
);
