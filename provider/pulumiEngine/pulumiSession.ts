import type { RawValues } from "../definitions/values";
import { type JobPresenceInState, type LogMessageKind, Session } from "../engine/session";
import { EngineLog } from "./engineLog";
import type { StackStateReader } from "./stackState";

export class PulumiSession extends Session {
  readonly #log = new EngineLog();
  #stackState: Promise<StackStateReader> | undefined;

  protected show(how: LogMessageKind, urn: string | undefined, line: string): void {
    this.#log.show(how === "reason" ? "info" : how, this.engineAddress(), urn, line);
  }

  allShown(): Promise<void> {
    return this.#log.allShown();
  }

  /** The engine gives its address as an argument after any flags. */
  engineAddress(): string | undefined {
    return process.argv
      .slice(2)
      .filter((argument) => /^[^-].*:\d+$/.test(argument))
      .at(-1);
  }

  async savedInState(urn: string, id: string): Promise<JobPresenceInState> {
    const state = await this.#state();
    // If the state cannot be read, the answer is "gone", because somebody may have removed the job from the state. This
    // run then continues only jobs whose entry lacks the note `handedOver`.
    return this.#asked(urn, await state.saved(urn, id)) ?? "gone";
  }

  override async savedState(urn: string): Promise<RawValues | undefined> {
    const state = await this.#state();
    return this.#asked(urn, await state.replaced(urn));
  }

  /** Most runs never read the state of the stack, so the module is loaded only here. */
  #state(): Promise<StackStateReader> {
    this.#stackState ??= import("./stackState.js").then(({ StackStateReader: Loaded }) => new Loaded());
    return this.#stackState;
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
    return (await this.#state()).createWasCutOff(urn);
  }

  protected watchEnd(): void {
    // The engine ends a provider by SIGINT, both at the end of a run and after a second Ctrl-C.
    process.once("SIGINT", async () => {
      await this.end();
      process.exit(0);
    });
  }
}

export const processSession = new PulumiSession();
