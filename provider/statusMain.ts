import { readTerraformState } from "./hosts/terraform/readTerraformState";
import { readPulumiState } from "./pulumiEngine/readPulumiState";
import { runStatusCommand } from "./status/statusCommand";

void runStatusCommand("npx pulumi-docs-platform", readPulumiState, readTerraformState);
