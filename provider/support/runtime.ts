/** Why this process cannot serve; undefined where it can. Bun brings a library of its own under the name of ours for HTTP. */
export function runtimeProblem({ bun }: Readonly<Record<string, string | undefined>>): string | undefined {
  return bun === undefined
    ? undefined
    : `the provider process runs on Bun ${bun}, and needs Node.js: put Node.js 20.18.1 or later on PATH as \`node\`, before any other \`node\` that Bun provides. Nothing was sent; the program itself may run on Bun`;
}
