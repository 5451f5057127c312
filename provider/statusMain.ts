import { readTerraformState } from "./hosts/terraform/readTerraformState";
import { readPulumiState } from "./pulumiEngine/readPulumiState";
import { statusCommand } from "./status/statusCommand";

// Runs the command `npx pulumi-docs-platform status`.
void statusCommand("npx pulumi-docs-platform", readPulumiState, readTerraformState);
