import { readTerraformState } from "./hosts/terraform/readTerraformState";
import { readPulumiState } from "./pulumiEngine/readPulumiState";
import { statusCommand } from "./status/statusCommand";

void statusCommand("npx pulumi-docs-platform", readPulumiState, readTerraformState);
