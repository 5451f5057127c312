/** As package.json tells it. */
const oldestNode = String(require("pulumi-docs-platform/package.json").engines.node).replace(/^>=/, "");

/**
 * Why this process cannot serve; undefined where it can. Bun brings a library of its own under the name of ours for HTTP, and
 * an older Node.js lacks what that library uses.
 */
export function runtimeProblem({ node = "", bun }: Readonly<Record<string, string | undefined>>): string | undefined {
  const runtime = bun === undefined ? `Node.js ${node}` : `Bun ${bun}`;
  if (bun === undefined && node.localeCompare(oldestNode, "en", { numeric: true }) >= 0) {
    return undefined;
  }
  const others =
    bun === undefined ? "any older one" : "any other `node` that Bun provides. The program itself may run on Bun";
  return `the provider process runs on ${runtime}, and needs Node.js ${oldestNode} or later: put that on PATH as \`node\`, before ${others}. Nothing was sent`;
}
