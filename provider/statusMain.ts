import { readTerraformState } from "./hosts/terraform/stackSnapshot";
import { readPulumiState } from "./pulumiEngine/stackSnapshot";
import { statusCommand } from "./status/command";

// Runs the command `npx pulumi-docs-platform status`.
void statusCommand("npx pulumi-docs-platform", readPulumiState, readTerraformState);
