import { readTerraformState } from "./hosts/terraform/stackSnapshot";
import { readPulumiState } from "./pulumiEngine/stackSnapshot";
import { statusCommand } from "./status/command";

// Runs the command `npx pulumi-docs-platform status`.
void statusCommand(process.argv.slice(2), "npx pulumi-docs-platform", [readPulumiState, readTerraformState]).then(
  (code) => {
    process.exitCode = code;
  },
);
