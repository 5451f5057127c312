import type { RawValues } from "../definitions/values";
import { type SavedInState, Session, type Shown } from "../engine/session";
import { show } from "./engineLog";

export class PulumiSession extends Session {
  protected show(how: Shown, urn: string | undefined, line: string): void {
    show(how === "reason" ? "info" : how, this.engineAddress(), urn, line);
  }

  /** Returns the address of the engine that has started this process. The address stands after any flags. */
  engineAddress(): string | undefined {
    return process.argv
      .slice(2)
      .filter((argument) => /^[^-].*:\d+$/.test(argument))
      .at(-1);
  }

  async savedInState(urn: string, id: string): Promise<SavedInState> {
    const { savedInStack } = await import("./stackState.js");
    return savedInStack(urn, id);
  }

  override async savedState(urn: string): Promise<RawValues | undefined> {
    const { stateInStack } = await import("./stackState.js");
    return stateInStack(urn);
  }

  override async wasCutOff(urn: string): Promise<boolean> {
    const { createWasCutOff } = await import("./stackState.js");
    return createWasCutOff(urn);
  }

  protected watchEnd(): void {
    // The engine ends a provider by SIGINT, at the end of a run and after a second Ctrl-C.
    process.once("SIGINT", async () => {
      await this.end();
      process.exit(0);
    });
  }
}

export const processSession = new PulumiSession();
