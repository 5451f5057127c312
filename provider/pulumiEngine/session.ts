import type { RawValues } from "../definitions/values";
import { Session, type Standing } from "../engine/session";
import { show } from "./engineLog";

/** The facts about the Pulumi engine that this process serves, for both Pulumi hosts. */
export class PulumiSession extends Session {
  #attached: string | undefined;

  status(urn: string | undefined, text: string): void {
    show("status", this.engineAddress(), urn, text);
  }

  info(urn: string | undefined, text: string): void {
    show("info", this.engineAddress(), urn, text);
  }

  warn(urn: string | undefined, text: string): void {
    show("warn", this.engineAddress(), urn, text);
  }

  debug(urn: string | undefined, text: string): void {
    show("debug", this.engineAddress(), urn, text);
  }

  /**
   * Returns the address of the engine, which the engine gives only to a provider process; undefined in any other
   * process.
   */
  engineAddress(): string | undefined {
    return this.startedBy() ?? this.#attached;
  }

  /** Returns the address of the engine that has started this process. The address stands after any flags. */
  startedBy(): string | undefined {
    return process.argv
      .slice(2)
      .filter((argument) => /^[^-].*:\d+$/.test(argument))
      .at(-1);
  }

  /** Sets the address of the engine, for a provider process that was started before the engine. */
  attachTo(address: string): void {
    this.#attached = address;
  }

  async standing(urn: string, id: string): Promise<Standing> {
    const { standingInStack } = await import("./stackState.js");
    return standingInStack(urn, id);
  }

  override async savedState(urn: string): Promise<RawValues | undefined> {
    const { stateInStack } = await import("./stackState.js");
    return stateInStack(urn);
  }

  protected watchEnd(): void {
    // The engine ends a provider by SIGINT, at the end of a run and after a second Ctrl-C.
    process.once("SIGINT", async () => {
      await this.end();
      process.exit(0);
    });
  }
}

/** The session of this process, which all of its hosts share. */
export const processSession = new PulumiSession();
