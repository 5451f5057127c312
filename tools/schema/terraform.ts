import { journalScope } from "../../provider/hosts/terraform/journalScope";
import type {
  AttributeSchema,
  BlockSchema,
  FunctionSignature,
  ProviderSchema,
} from "../../provider/hosts/terraform/schema";
import { typeName } from "../../provider/hosts/terraform/words";
import { resources } from "../../provider/resources/index";
import { allSettings } from "../../provider/settings/settingTable";
import { snakeCase } from "../../provider/support/words";
import { generateSchema } from "./schema";
import { inTermsOfTerraform } from "./terraformWords";

interface Described {
  description?: string;
}
interface Property extends Described {
  type?: string;
  $ref?: string;
  secret?: boolean;
  default?: unknown;
}
interface ObjectType extends Described {
  properties?: Record<string, Property>;
  required?: string[];
}
interface Resource extends ObjectType {
  inputProperties: Record<string, Property>;
}
interface Function extends Described {
  inputs: ObjectType;
  outputs: ObjectType;
}
interface PulumiSchema {
  provider: { inputProperties: Record<string, Property> };
  types: Record<string, ObjectType>;
  resources: Record<string, Resource>;
  functions: Record<string, Function>;
}

/** A setting that only this host has. */
const journalScopeProperty: Property = {
  type: "string",
  description:
    "A name of this configuration for the journal: give one where several checkouts of it share a journal and a state, so that one takes up what another has begun, or where several configurations with one journal run in a folder of the same path. Each workspace is on its own. Default: the folder of the configuration. Environment: `" +
    journalScope.variable +
    "`.",
};

/** Any value, as an argument or a result of a function. */
const dynamic = "dynamic";

/** The schema of Terraform's host: the same facts as the plugin's, in Terraform's words. */
export function generateTerraformSchema(): ProviderSchema {
  const pulumi = generateSchema() as PulumiSchema;
  const resource = (name: string) => pulumi.resources[`docs-platform:index:${name}`] as Resource;
  const called = (name: string) => pulumi.functions[`docs-platform:index:${name}`] as Function;
  const toType = (property: Property): unknown => typeOf(property, pulumi.types);
  return {
    provider: {
      description: inTermsOfTerraform(
        "How to reach the platform. An argument of this block goes before the environment.",
      ),
      attributes: Object.fromEntries(
        Object.entries({ ...pulumi.provider.inputProperties, [journalScope.name]: journalScopeProperty }).map(
          ([name, property]) => [
            snakeCase(name),
            {
              ...attribute(name, property, toType),
              // Its keys are written like all attributes. A check refuses unknown keys.
              ...(allSettings.some((setting) => setting.name === name && setting.texts) && { type: ["map", "string"] }),
              optional: true,
            },
          ],
        ),
      ),
    },
    resources: Object.fromEntries(
      Object.keys(resources).map((name) => [typeName(name), resourceBlock(name, resource(name), toType)]),
    ),
    dataSources: {
      docsplatform_static_export: dataSource("getStaticExport", called("getStaticExport"), toType),
      docsplatform_agent_job: dataSource("getAgentJob", called("getAgentJob"), toType),
    },
    ephemeralResources: { docsplatform_export_bundle: ephemeralBundle(resource("ExportBundle"), toType) },
    actions: {
      docsplatform_static_export: action("StaticExport", ["triggers", "jobId"], resource("StaticExport"), toType),
      docsplatform_agent_message: action("AgentMessage", ["triggers"], resource("AgentMessage"), toType),
    },
    identities: {
      docsplatform_static_export: { name: "job_id", description: "Identifier of the export job." },
      docsplatform_agent_message: {
        name: "id",
        description: "The agent job's id; of a message of this provider its whole id.",
      },
    },
    functions: {
      helm_values: signature("helmValues", "args", dynamic, dynamic, called("helmValues")),
      feature_availability: signature(
        "featureAvailability",
        "deployment_type",
        "string",
        ["object", types(called("featureAvailability").outputs.properties ?? {}, toType)],
        called("featureAvailability"),
      ),
    },
  };
}

function resourceBlock(name: string, described: Resource, toType: (property: Property) => unknown): BlockSchema {
  const definition = resources[name];
  const attributes: Record<string, AttributeSchema> = {
    id: {
      property: "id",
      type: "string",
      computed: true,
      description: "As Terraform shows the resource while it works.",
    },
  };
  for (const [property, input] of Object.entries(described.inputProperties)) {
    const { required, fill } = definition?.inputs[property] ?? {};
    const isOutput = definition?.outputs.includes(property) ?? false;
    attributes[snakeCase(property)] = {
      ...attribute(property, input, toType),
      // A value that the check fills in is known, and the configuration does not give it.
      ...(required && fill === undefined ? { required: true } : { optional: true }),
      ...((isOutput || fill !== undefined) && { computed: true }),
    };
  }
  for (const [property, output] of Object.entries(described.properties ?? {})) {
    attributes[snakeCase(property)] ??= { ...attribute(property, output, toType), computed: true };
  }
  return { description: inTermsOfTerraform(described.description ?? ""), attributes };
}

function dataSource(
  property: string,
  { description, inputs, outputs }: Function,
  toType: (property: Property) => unknown,
): BlockSchema {
  const attributes: Record<string, AttributeSchema> = {};
  for (const [name, input] of Object.entries(inputs.properties ?? {})) {
    const isRequired = inputs.required?.includes(name) ?? false;
    attributes[snakeCase(name)] = {
      ...attribute(name, input, toType),
      ...(isRequired ? { required: true } : { optional: true }),
    };
  }
  for (const [name, output] of Object.entries(outputs.properties ?? {})) {
    attributes[snakeCase(name)] ??= { ...attribute(name, output, toType), computed: true };
  }
  return { property, description: inTermsOfTerraform(description ?? ""), attributes };
}

/** The action that starts the work of a resource, without keeping its result. */
function action(
  name: string,
  without: readonly string[],
  described: Resource,
  toType: (property: Property) => unknown,
): BlockSchema {
  const { attributes } = resourceBlock(name, described, toType);
  const inputs = Object.keys(resources[name]?.inputs ?? {}).filter((input) => !without.includes(input));
  const entries = Object.entries(attributes).filter(([, { property }]) => inputs.includes(property));
  const descriptions: Readonly<Record<string, string>> = {
    StaticExport:
      "Starts a static export job and waits until it is completed; its progress is shown. Each invocation starts a job, whose id is in the last line of the progress: nothing keeps it. The resource of the same name does.",
    AgentMessage:
      "Sends a follow-up message to an agent's job, and waits for the job where `wait_for_completion` is set; its progress is shown. Each invocation sends a message. The resource of the same name sends one, and no more.",
  };
  return {
    property: name,
    description: descriptions[name] ?? "",
    attributes: Object.fromEntries(entries.map(([key, { computed: _, ...attribute_ }]) => [key, attribute_])),
  };
}

/** A link for one run. It is not kept, so it is not renewed. */
function ephemeralBundle(described: Resource, toType: (property: Property) => unknown): BlockSchema {
  const inputs = ["jobId", "version", "verifyLink"];
  const outputs = ["bundleUrl", "expiresAt", "issuedAt"];
  const attributes = Object.fromEntries(
    [...inputs, ...outputs].map((name) => [
      snakeCase(name),
      {
        ...attribute(name, described.inputProperties[name] ?? described.properties?.[name] ?? {}, toType),
        ...(name === "jobId" ? { required: true } : inputs.includes(name) ? { optional: true } : { computed: true }),
        ...(name === "version" && { computed: true }),
      },
    ]),
  );
  const description =
    "A presigned link to the bundle of a completed export job, for one run: it lies in no state and in no plan. Each plan and each apply that knows the job's id mints one, with one request. Terraform has no way to hand out a newer one while it runs.";
  return { description, attributes };
}

function signature(
  property: string,
  parameter: string,
  type: unknown,
  returns: unknown,
  { description, inputs }: Function,
): FunctionSignature {
  const [only] = Object.values(inputs.properties ?? {});
  const members = Object.entries(inputs.properties ?? {}).map(
    ([name, { description: text }]) => `\`${snakeCase(name)}\`: ${text ?? ""}`,
  );
  const about = type === dynamic ? `An object. ${members.join(" ")}` : (only?.description ?? "");
  return {
    property,
    description: inTermsOfTerraform(description ?? ""),
    parameters: [{ name: parameter, type, description: inTermsOfTerraform(about) }],
    returns,
  };
}

function attribute(property: string, described: Property, toType: (property: Property) => unknown): AttributeSchema {
  return {
    property,
    type: toType(described),
    ...(described.secret && { sensitive: true }),
    description: inTermsOfTerraform(described.description ?? ""),
  };
}

function types(properties: Record<string, Property>, toType: (property: Property) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [snakeCase(name), toType(property)]));
}

/** A type as Terraform writes it. */
function typeOf({ type, $ref }: Property, objects: Record<string, ObjectType>): unknown {
  if ($ref === "pulumi.json#/Any") {
    return dynamic;
  }
  const object = objects[$ref?.replace("#/types/", "") ?? ""];
  if (object !== undefined) {
    return ["object", types(object.properties ?? {}, (property) => typeOf(property, objects))];
  }
  const simple: Record<string, string> = { string: "string", boolean: "bool", integer: "number", number: "number" };
  const found = simple[type ?? ""];
  if (found === undefined) {
    throw new Error(`Terraform has no type for ${type ?? $ref}`);
  }
  return found;
}
