import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Platform, startPlatform } from "../../../simulator/index";
import { OpenPgpKey } from "../openPgpKey";
import { writeRelease } from "../plugins/main";
import { ownTarget } from "../plugins/target";
import { mustSucceed } from "./steps";

/** A release for this machine, and the servers, folders and keys that the rehearsals of all channels share. */
export class Rehearsal {
  /** A key that replaces the real signing key of releases. */
  readonly key = new OpenPgpKey();
  /** The file of the servers' certificate. It is self-signed, so clients must trust it. */
  readonly certificate: string;
  readonly certificateKey: string;
  readonly #closing: (() => unknown)[] = [];
  #release: Promise<string> | undefined;

  private constructor(
    private readonly scratch: string,
    readonly platform: Platform,
  ) {
    this.certificate = join(scratch, "certificate.pem");
    this.certificateKey = join(scratch, "key.pem");
  }

  static async start(): Promise<Rehearsal> {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), "release-")));
    const rehearsal = new Rehearsal(scratch, await startPlatform({ queueTime: 0, jobTime: 50 }));
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const files = ["-keyout", rehearsal.certificateKey, "-out", rehearsal.certificate];
    await mustSucceed(["openssl", "req", "-x509", "-days", "2", ...curve, ...names, ...files], { cwd: scratch });
    return rehearsal;
  }

  /** Returns the folder of the signed release, which is for this system only. No channel may change its files. */
  get release(): Promise<string> {
    this.#release ??= this.#makeRelease();
    return this.#release;
  }

  async #makeRelease(): Promise<string> {
    const folder = this.folder("release");
    await writeRelease(folder, [ownTarget()]);
    const { status, stderr } = this.key.sign(folder);
    if (status !== 0) {
      throw new Error(`.ci/sign: ${stderr}`);
    }
    return folder;
  }

  get settings(): Record<string, string> {
    return { DOCS_PLATFORM_BASE_URL: this.platform.baseUrl, DOCS_PLATFORM_API_KEY: this.platform.apiKey };
  }

  /** Makes a folder, which is removed at the end of the rehearsal. */
  folder(name: string): string {
    const folder = join(this.scratch, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Starts an https server until the end of the rehearsal. Returns its host and port. */
  async serve(listener: RequestListener): Promise<string> {
    const [key, cert] = [this.certificateKey, this.certificate].map((file) => readFileSync(file));
    const server = https.createServer({ key, cert }, listener);
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    this.atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    return `localhost:${(server.address() as AddressInfo).port}`;
  }

  /** Adds a function that is called at the end of the rehearsal. The function that was added last is called first. */
  atEnd(close: () => unknown): void {
    this.#closing.unshift(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing) {
      await close();
    }
    await this.platform.close();
    rmSync(this.scratch, { recursive: true, force: true });
  }
}
