import { join } from "node:path";

/** The folder of this project's own package.json. */
export const projectRoot = join(__dirname, "..");
