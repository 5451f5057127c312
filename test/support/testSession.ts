import { Session, type Standing } from "../../provider/engine/session";

/** A session without a process: it records what is shown, and knows no engine and no state. */
export class TestSession extends Session {
  readonly shown: string[] = [];
  readonly infos: string[] = [];
  readonly warnings: string[] = [];
  readonly debugged: string[] = [];

  status(_: string | undefined, text: string): void {
    this.shown.push(text);
  }

  info(_: string | undefined, text: string): void {
    this.infos.push(text);
  }

  warn(_: string | undefined, text: string): void {
    this.warnings.push(text);
  }

  debug(_: string | undefined, text: string): void {
    this.debugged.push(text);
  }

  engineAddress(): string | undefined {
    return undefined;
  }

  async standing(_: string, __: string): Promise<Standing> {
    return "unsaved";
  }

  protected watchEnd(): void {}
}
