const packageJson = () => require("pulumi-docs-platform/package.json");

export function readPackageVersion(): string {
  return String(packageJson().version);
}

/** Bun replaces our HTTP library, and an old Node.js lacks functions that the provider needs. */
export function runtimeProblem({ node = "", bun }: Readonly<Record<string, string | undefined>>): string | undefined {
  const oldestNode = String(packageJson().engines.node).replace(/^>=/, "");
  const runtime = bun === undefined ? `Node.js ${node}` : `Bun ${bun}`;
  if (bun === undefined && isAtLeast(node, oldestNode)) {
    return undefined;
  }
  const others =
    bun === undefined ? "any older one" : "any other `node` that Bun provides. The program itself may run on Bun";
  return `the provider process runs on ${runtime}, but needs Node.js ${oldestNode} or later. Install it, and put its \`node\` on PATH before ${others}. Nothing was sent`;
}

/** Compares numbers: a comparison of texts makes Node.js load language data, which takes a third of the start time. */
function isAtLeast(version: string, other: string): boolean {
  const [numbers = [], others = []] = [version, other].map((text) =>
    text.split(".").map((part) => Number.parseInt(part, 10)),
  );
  const differing = others.findIndex((number, index) => number !== numbers[index]);
  return differing === -1 || Number(numbers[differing]) > Number(others[differing]);
}
