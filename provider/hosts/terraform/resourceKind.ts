import { type RawValues, unknown } from "../../definitions/values";
import type { Operation } from "../../engine/operation";
import { StartJournal } from "../../engine/startJournal";
import { differs, holdsUnknown } from "../../resources/compare";
import type { Resource } from "../../resources/resource";
import type { TerraformSettings } from "./providerConfig";
import { ResourceBlocks } from "./resourceBlocks";
import type { BlockSchema } from "./schema";
import { type TerraformSession, workspaceAddress } from "./terraformSession";

/** One kind of resource, as this process serves it. */
export class ResourceKind {
  readonly blocks: ResourceBlocks;
  #address: string | undefined;

  /** @param settings reads the settings, which Terraform sends after the first calls. */
  constructor(
    readonly definition: Resource,
    schema: BlockSchema,
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

  /** Returns the journal for what the inputs of this state, or these inputs, ask for. */
  journalOf(values: RawValues): StartJournal | undefined {
    return StartJournal.of(this.definition, this.operation(), values, this.session);
  }

  /**
   * Returns true if a new resource with these inputs asks for the same as the one of this state. An unknown input counts as
   * equal.
   */
  asksForSame(inputs: RawValues, state: RawValues): boolean {
    const { inputs: fields, outputs } = this.definition;
    const isFromPlatform = (name: string) => inputs[name] === undefined && (outputs as string[]).includes(name);
    return Object.keys(fields)
      .filter((name) => fields[name]?.onChange === "replace")
      .every((name) => isFromPlatform(name) || holdsUnknown(inputs[name]) || !differs(inputs[name], state[name]));
  }
}
