import { readTerraformState } from "./hosts/terraform/heldState";
import { readPulumiState } from "./pulumiEngine/heldState";
import { statusCommand } from "./status/command";

// `npx pulumi-docs-platform status`
void statusCommand(process.argv.slice(2), "npx pulumi-docs-platform", [readPulumiState, readTerraformState]).then(
  (code) => {
    process.exitCode = code;
  },
);
