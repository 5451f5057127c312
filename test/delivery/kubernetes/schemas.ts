import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "../../../tools/servers/controlPlane";

type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; items?: Schema };

/**
 * Writes the API server's own description of its objects as JSON schemas for kubeconform, which by default downloads
 * them. It writes one file for each kind, without room for unknown fields.
 * @returns the location, in kubeconform's form.
 */
export async function writeSchemas(plane: ControlPlane, folder: string): Promise<string> {
  const { definitions } = await plane.ask("GET", "/openapi/v2");
  for (const definition of Object.values<Schema>(definitions)) {
    tighten(definition);
  }
  writeFileSync(join(folder, "definitions.json"), JSON.stringify({ definitions }));
  for (const [name, definition] of Object.entries<Schema>(definitions)) {
    for (const { kind, version, group } of kindsOf(definition)) {
      const file = [kind.toLowerCase(), ...(group === "" ? [] : [group.split(".")[0]]), version].join("-");
      writeFileSync(join(folder, `${file}.json`), JSON.stringify({ $ref: `definitions.json#/definitions/${name}` }));
    }
  }
  return join(folder, "{{.ResourceKind}}{{.KindSuffix}}.json");
}

function kindsOf(definition: Schema): { group: string; version: string; kind: string }[] {
  return (definition["x-kubernetes-group-version-kind"] ?? []) as { group: string; version: string; kind: string }[];
}

function tighten(schema: Schema): void {
  const { format, type, properties, items } = schema;
  if (type === "string" && format === "int-or-string") {
    delete schema.type;
    schema.oneOf = [{ type: "string" }, { type: "integer" }];
  }
  if (properties !== undefined) {
    schema.additionalProperties = false;
  }
  for (const inner of [...Object.values(properties ?? {}), ...(items === undefined ? [] : [items])]) {
    tighten(inner);
  }
}
