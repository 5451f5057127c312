import { functions } from "../../provider/functions/index";
import { typeName } from "../../provider/hosts/terraform/words";
import { resources } from "../../provider/resources/index";
import { allSettings } from "../../provider/settings/settingTable";
import { snakeCase } from "../../provider/support/words";

/** Replacements for the parts of the docstrings that speak of Pulumi only, in order of application. */
const phrases: readonly [RegExp, string][] = [
  [/\n*\{\{% examples %\}\}[\s\S]*$/, ""],
  [/`pulumi up --replace <urn>`/g, "`terraform apply -replace=<address>`"],
  [/`(pulumi )?up`/g, "`terraform apply`"],
  [/`pulumi destroy`/g, "`terraform destroy`"],
  [/`destroy` removes it, unless `retainOnDelete` is set/g, "`terraform destroy` removes it"],
  [/ A `refresh` renews it as well\./g, " A plan that is due to renew it shows so, and sends nothing."],
  [/`refresh` checks/g, "Each plan checks"],
  [/, whenever a link is minted and in a refresh\./g, ", whenever a link is minted."],
  [/not by a refresh/g, "not by a plan"],
  [/\ba preview\b/g, "a plan"],
  [/nothing else of the stack changes/g, "nothing else changes"],
  [/such as those of two stacks/g, "such as those of two workspaces"],
  [/(the machine that )(runs|ran) Pulumi/g, "$1$2 Terraform"],
  [/ \(`[^`]+`, installed beside this package\)/g, ""],
  [/Secret: stored encrypted, never printed/g, "Sensitive: it is not printed, and lies in the state in clear"],
  [/Secret as a whole where a link is in them/g, "Sensitive where a link is in them"],
  [/`docs-platform\/` in the Pulumi home/g, "`~/.terraform.d/docs-platform/`"],
  [/\bRejects with\b/g, "Fails with"],
  [/\bundefined\b/g, "null"],
  [/\bthe program\b/g, "the configuration"],
];

/** A docstring of the SDK as a user of Terraform reads it: names of arguments, of resources, and commands. */
export function inTermsOfTerraform(text: string): string {
  const phrased = phrases.reduce((rest, [from, to]) => rest.replace(from, to), text);
  return phrased.replace(/`([A-Za-z]\w*)(\.\w+)?`/g, (whole, name: string, member?: string) => {
    const known = nameOf(name);
    return known === undefined ? whole : `\`${known}${member === undefined ? "" : snakeCase(member)}\``;
  });
}

function nameOf(name: string): string | undefined {
  if (name in resources) {
    return typeName(name);
  }
  if (name in functions && name.startsWith("get")) {
    return typeName(name.slice("get".length));
  }
  const isProperty =
    name in functions ||
    allSettings.some((setting) => setting.name === name) ||
    Object.values(resources).some(({ inputs, state }) => name in inputs || name in state);
  return isProperty ? snakeCase(name) : undefined;
}
