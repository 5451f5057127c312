import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { onTestFinished } from "vitest";
import { endInput, spawnUntilInputEnds } from "../../../tools/processes/serverProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { EngineService, emptyAnswer } from "./messages";

/**
 * Starts the process of the plugin. It ends with the test.
 * @param startedBy the engine's address, or undefined if a user starts the plugin by hand.
 * @returns the plugin's port.
 */
export function startPlugin(environment: NodeJS.ProcessEnv, startedBy: string | undefined): Promise<number> {
  const file = join(projectRoot, "plugin", "pulumi-resource-docs-platform");
  return portOf(file, startedBy === undefined ? [] : [startedBy], environment);
}

/** Starts the process in which the SDK serves dynamic resources. It ends with the test. */
export function startDynamicProvider(environment: NodeJS.ProcessEnv, startedBy: string): Promise<number> {
  const main = createRequire(__filename).resolve("@pulumi/pulumi/cmd/dynamic-provider");
  return portOf("node", [main, startedBy], environment);
}

async function portOf(file: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawnUntilInputEnds(file, args, "KILL", { env, cwd: projectRoot });
  onTestFinished(() => endInput(child));
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    return Number(line);
  }
  throw new Error("the provider process has told no port");
}

/** The engine as a provider process sees it: an address that listens, and a log. */
export class EngineServer {
  /** The lines that the provider has logged, without debug lines. */
  readonly log: string[] = [];
  /**
   * The lines that stay on the screen. The engine removes all other lines when the provider has finished a resource.
   */
  readonly warnings: string[] = [];
  readonly debugLog: string[] = [];

  private constructor(
    readonly address: string,
    /** Closes the address, as the end of an engine does. */
    readonly end: () => void,
  ) {}

  static async start(): Promise<EngineServer> {
    const server = new Server();
    const log = ({ request }: { request: LogRequest }, done: (error: null, answer: unknown) => void) => {
      if (request.getSeverity() === LogSeverity.DEBUG) {
        engine.debugLog.push(request.getMessage());
      } else {
        engine.log.push(request.getMessage());
        engine.warnings.push(...(request.getEphemeral() ? [] : [request.getMessage()]));
      }
      done(null, emptyAnswer);
    };
    server.addService(EngineService, { log });
    const port = await new Promise<number>((resolve, reject) => {
      const bound = (error: Error | null, free: number) => (error === null ? resolve(free) : reject(error));
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
    });
    const engine = new EngineServer(`127.0.0.1:${port}`, () => server.forceShutdown());
    onTestFinished(engine.end);
    return engine;
  }
}
