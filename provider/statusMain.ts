import { terraformReader } from "./hosts/terraform/stackSnapshot";
import { pulumiReader } from "./pulumiEngine/stateReader";
import { statusCommand } from "./status/command";

// Runs the command `npx pulumi-docs-platform status`.
void statusCommand(process.argv.slice(2), "npx pulumi-docs-platform", [pulumiReader, terraformReader]).then((code) => {
  process.exitCode = code;
});
