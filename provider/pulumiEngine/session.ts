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
    // An engine has saved, or removed since, each job that was handed over to it.
    return this.#asked(urn, await savedInStack(urn, id)) ?? "gone";
  }

  override async savedState(urn: string): Promise<RawValues | undefined> {
    const { stateInStack } = await import("./stackState.js");
    return this.#asked(urn, await stateInStack(urn));
  }

  #asked<T>(urn: string, answer: T | undefined): T | undefined {
    if (answer === undefined && this.once("warn of the state")) {
      this.warn(
        urn,
        "the state of this stack could not be read: `pulumi stack export` failed, or answered with another stack. So this run does not know what it replaces. To see why, run that command here; PULUMI_STACK or `pulumi stack select` names the stack.",
      );
    }
    return answer;
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
