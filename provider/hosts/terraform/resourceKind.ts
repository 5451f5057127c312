import { type RawValues, unknown } from "../../definitions/values";
import type { Operation } from "../../engine/operation";
import { differs, holdsUnknown } from "../../resources/compare";
import type { Resource } from "../../resources/resource";
import type { TerraformSettings } from "./providerConfig";
import { ResourceBlocks } from "./resourceBlocks";
import type { BlockSchema } from "./schema";
import { type TerraformSession, workspaceAddress } from "./terraformSession";

export class ResourceKind {
  readonly blocks: ResourceBlocks;
  #address: string | undefined;

  constructor(
    readonly definition: Resource,
    readonly schema: BlockSchema,
    readonly settings: () => TerraformSettings,
    readonly session: TerraformSession,
  ) {
    this.blocks = new ResourceBlocks(definition, schema.attributes);
  }

  operation(): Operation {
    const settings = this.settings();
    const scope = settings.journalScope();
    // Neither the scope nor the workspace changes while this process lives.
    this.#address ??=
      scope === unknown ? undefined : workspaceAddress(this.definition.name, scope, this.session.workplace);
    return { address: this.#address, settings, signal: this.session.signal };
  }

  /** True if a new resource with these inputs may be the one of this state, or replace it. */
  isLike(inputs: RawValues, state: RawValues): boolean {
    const { inputs: fields, outputs, identity } = this.definition;
    const isEqual = (name: string) => holdsUnknown(inputs[name]) || !differs(inputs[name], state[name]);
    const isFromPlatform = (name: string) => inputs[name] === undefined && (outputs as string[]).includes(name);
    const replacing = Object.keys(fields).filter((name) => fields[name]?.onChange === "replace");
    return replacing.every((name) => isFromPlatform(name) || isEqual(name)) || identity.every(isEqual);
  }
}
