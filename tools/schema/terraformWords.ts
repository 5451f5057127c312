import { functions, resources } from "../../provider/definitions/index";
import { snakeCase } from "../../provider/hosts/terraform/names";
import { allSettings } from "../../provider/support/settingTable";

const dataSources: Readonly<Record<string, string>> = {
  getStaticExport: "docsplatform_static_export",
  getAgentJob: "docsplatform_agent_job",
};

const phrases: readonly [RegExp, string][] = [
  [/`pulumi up --replace <urn>`/g, "`terraform apply -replace=<address>`"],
  [/`pulumi up`/g, "`terraform apply`"],
  [/`pulumi destroy`/g, "`terraform destroy`"],
  [/`pulumi preview`/g, "`terraform plan`"],
  [/`pulumi refresh`/g, "`terraform plan -refresh-only`"],
  [/\ba preview\b/g, "a plan"],
  [/\bpreviews?\b/g, "plan"],
  [/\bstack output\b/g, "output"],
  [/the Pulumi home/g, "the Pulumi home (`~/.pulumi`)"],
  [/\bundefined\b/g, "null"],
  [/\bprogram\b/g, "configuration"],
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
    return `docsplatform${snakeCase(name)}`;
  }
  if (name in dataSources) {
    return dataSources[name];
  }
  const isProperty =
    name in functions ||
    allSettings.some((setting) => setting.name === name) ||
    Object.values(resources).some(({ inputs, state }) => name in inputs || name in state);
  return isProperty ? snakeCase(name) : undefined;
}
