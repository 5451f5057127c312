import { createRequire } from "node:module";

/** The optional peer dependencies of the embedded platform. */
const packages = ["hono", "@hono/node-server", "@hono/zod-openapi", "markdown-it"];

const { resolve } = createRequire(__filename);

function isMissing(name: string): boolean {
  try {
    resolve(name);
    return false;
  } catch {
    return true;
  }
}

if (packages.some(isMissing)) {
  throw new Error(
    `The embedded platform needs packages that are optional, and not all are here: run \`npm install --save-dev ${packages.join(" ")}\`.`,
  );
}
