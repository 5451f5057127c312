import { join } from "node:path";
import { catalogue, type Tool, type ToolName } from "./catalogue";
import { findOrBuild } from "./findOrBuild";
import { findPulumi } from "./findPulumi";
import { goRecipe } from "./goRecipe";
import { npmRecipe, scriptOf } from "./npmRecipe";
import { pythonOf, pythonRecipe } from "./pythonRecipe";
import { releaseRecipe } from "./releaseRecipe";

/**
 * Returns the path of the tool's executable. For Python, this is the environment's `python`. For npm, it is a script.
 * For a release, it is the folder.
 * @throws ToolNotMade, or PulumiNotFound if the tool is Pulumi.
 */
export async function getTool(name: ToolName): Promise<string> {
  const tool: Tool | undefined = catalogue.find((row) => row.name === name);
  switch (tool?.builtBy) {
    case "go":
      return join(await findOrBuild([goRecipe(tool)]), tool.name);
    case "python3":
      return pythonOf(await findOrBuild([pythonRecipe(tool)]));
    case "npm":
      return scriptOf(tool, await findOrBuild([npmRecipe(tool)]));
    case "git":
      return findOrBuild([releaseRecipe(tool)]);
    case "npx or go":
      return join(await findPulumi(), tool.name);
    default:
      throw new Error(`the catalogue has no tool ${name}`);
  }
}
