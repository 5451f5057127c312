import { functions } from "../../provider/functions/index";
import { terraformTypeNameOf } from "../../provider/hosts/terraform/words";
import { resources } from "../../provider/resources/index";
import { allSettings } from "../../provider/settings/settingTable";
import { snakeCase } from "../../provider/support/words";

/** Phrases in docstrings that apply only to Pulumi, each with its replacement. The order matters. */
const phrases: readonly [RegExp, string][] = [
  [/\n*\{\{% examples %\}\}[\s\S]*$/, ""],
  [/`pulumi up --replace <urn>`/g, "`terraform apply -replace=<address>`"],
  [/`(pulumi )?up`/g, "`terraform apply`"],
  [/`pulumi destroy`/g, "`terraform destroy`"],
  [/`destroy` removes it, unless `retainOnDelete` is set/g, "`terraform destroy` removes it"],
  [/ A `refresh` renews it, too\./g, " A plan that is due to renew it shows so, and sends nothing."],
  [/`refresh` checks/g, "Each plan checks"],
  [/, at each new link and in a refresh\./g, ", at each new link."],
  [/not by a refresh/g, "not by a plan"],
  [/\ba preview\b/g, "a plan"],
  [/Nothing else in the\s+stack changes/g, "Nothing else changes"],
  [/(the machine that )(runs|ran) Pulumi/g, "$1$2 Terraform"],
  [/ \(`[^`]+`, installed beside this package\)/g, ""],
  [/Secret: stored encrypted, never printed/g, "Sensitive: it is not printed, and lies in the state in clear"],
  [
    /they are secret as a whole: write them to a file of mode 0600, or pass them to a Helm release\. The values of\s+a mirror are not secret/g,
    "they are sensitive. The values of a mirror are not",
  ],
  [/`docs-platform\/` in the Pulumi home/g, "`~/.terraform.d/docs-platform/`"],
  [/\bRejects with\b/g, "Fails with"],
  [/\bundefined\b/g, "null"],
  [/\bthe program\b/g, "the configuration"],
];

/** Converts a docstring to the terms of a Terraform user: the names of arguments and resources, and the commands. */
export function inTermsOfTerraform(text: string): string {
  const phrased = phrases.reduce((rest, [from, to]) => rest.replace(from, to), text);
  return phrased.replace(/`([A-Za-z]\w*)(\.\w+)?`/g, (whole, name: string, member?: string) => {
    const known = nameOf(name);
    return known === undefined ? whole : `\`${known}${member === undefined ? "" : snakeCase(member)}\``;
  });
}

function nameOf(name: string): string | undefined {
  if (name in resources) {
    return terraformTypeNameOf(name);
  }
  if (name in functions && name.startsWith("get")) {
    return terraformTypeNameOf(name.slice("get".length));
  }
  const isProperty =
    name in functions ||
    allSettings.some((setting) => setting.name === name) ||
    Object.values(resources).some(({ inputs, state }) => name in inputs || name in state);
  return isProperty ? snakeCase(name) : undefined;
}
