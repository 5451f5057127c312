import { type JobPresenceInState, type LogMessageKind, Session } from "../../provider/engine/session";

/** A session with no engine and no state. It records the messages that the user would see. */
export class TestSession extends Session {
  readonly shown: string[] = [];
  readonly infos: string[] = [];
  readonly warnings: string[] = [];
  readonly debugged: string[] = [];

  protected show(how: LogMessageKind, _: string | undefined, line: string): void {
    const lists = {
      status: this.shown,
      info: this.infos,
      reason: this.infos,
      warn: this.warnings,
      debug: this.debugged,
    };
    lists[how].push(line);
  }

  engineAddress(): string | undefined {
    return undefined;
  }

  async savedInState(_: string, __: string): Promise<JobPresenceInState> {
    return "unsaved";
  }

  protected watchEnd(): void {}
}
