import { bundleProgram, makeStarter } from "./bundle";
import { licenceFiles } from "./licenceFiles";
import { pluginRelease } from "./release";
import { reproducibleTarGz } from "./releaseArchives";

const shell = `#!/bin/sh
exec node "$(cd -P "$(dirname "$0")" && pwd)/main.js" "$@"
`;
const windows = `@node "%~dp0main.js" %*\r\n`;

/** The plugin for machines that have Node.js: the same program as the executables, but as JavaScript files. */
export async function nodeArchive(): Promise<Buffer> {
  const { main, libraries, packages } = await bundleProgram(pluginRelease.entry);
  return reproducibleTarGz([
    { name: "pulumi-resource-docs-platform", content: shell, isExecutable: true },
    { name: "pulumi-resource-docs-platform.cmd", content: windows },
    { name: "main.js", content: await makeStarter("provider/hosts/plugin/main.ts") },
    { name: "serve.js", content: main },
    { name: "libraries.js", content: libraries },
    ...licenceFiles(packages),
  ]);
}
