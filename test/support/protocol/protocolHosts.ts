import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ResourceTypeName } from "../../../provider/resources/index";
import type { Platform } from "../../../simulator/index";
import { processEnvironment } from "../programFolder";
import type { Values } from "./messages";
import type { HostDialect } from "./protocolStack";
import { type KnownResource, ProviderClient, urnOf } from "./providerClient";
import { EngineServer, startDynamicProvider, startPlugin } from "./providerProcess";

export interface ProcessOptions {
  /** The value `undefined` removes a variable. */
  environment?: NodeJS.ProcessEnv;
  /** The configuration of the stack, with full names such as `project:key`. */
  config?: Record<string, string>;
}

type Reached = Pick<Platform, "baseUrl" | "apiKey">;

/** Starts a provider process of one host, as the engine does. */
export type ProtocolHost = (
  platform: Reached,
  surroundings?: ProcessOptions,
) => Promise<HostDialect & { engine: EngineServer }>;

export const pluginProcess: ProtocolHost = async (platform, { environment = {}, config = {} } = {}) => {
  const engine = await EngineServer.start();
  const client = new ProviderClient(await startPlugin({ ...environmentOf(platform), ...environment }, engine.address));
  // The engine makes this call if a program declares a provider with settings.
  await client.checkConfig(config);
  return { engine, client, abilities: await client.configure(config), urnOf, ownInputs: () => ({}) };
};

export const dynamicProcess: ProtocolHost = async (platform, { environment = {}, config = {} } = {}) => {
  const engine = await EngineServer.start();
  const client = new ProviderClient(
    await startDynamicProvider({ ...environmentOf(platform), ...environment }, engine.address),
  );
  const dynamicUrn = (type: string, name: string) =>
    `urn:pulumi:test::project::pulumi-nodejs:dynamic/docs-platform:${type}::${name}`;
  return {
    engine,
    client,
    abilities: await client.configure(config),
    urnOf: dynamicUrn,
    ownInputs: (type, name) => ({
      __provider: `exports.handler = () => require("pulumi-docs-platform/provider").${type};`,
      __urn: dynamicUrn(type, name),
    }),
  };
};

/**
 * Returns the client's calls for one resource. Each call adds the values from `ownInputs` to the inputs, and to the
 * saved outputs too.
 */
export function resourceOn({ client, urnOf, ownInputs }: HostDialect, type: ResourceTypeName, name = "site") {
  const urn = urnOf(type, name);
  const whole = (values: Values) => ({ ...ownInputs(type, name), ...values });
  const known = ({ id, outputs }: Saved) => ({ id, inputs: {}, outputs: whole(outputs) });
  return {
    check: (news: Values, olds: Values = {}) => client.check(urn, whole(news), whole(olds)),
    diff: (saved: Saved, news: Values) => client.diff(urn, known(saved), whole(news)),
    create: (inputs: Values): Promise<Saved> => client.create(urn, whole(inputs)),
    read: (saved: Saved) => client.read(urn, known(saved)),
    update: async (saved: Saved, news: Values): Promise<Saved> => ({
      id: saved.id,
      outputs: await client.update(urn, known(saved), whole(news)),
    }),
    delete: (saved: Saved) => client.delete(urn, known(saved)),
  };
}

export type Saved = Omit<KnownResource, "inputs">;

export const hosts = { plugin: pluginProcess, "SDK's dynamic provider": dynamicProcess };

/**
 * Returns the environment of a provider process that uses this platform. The journal is a new folder, which is removed
 * after the test.
 */
export function environmentOf(platform: Reached): NodeJS.ProcessEnv {
  const journal = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => rmSync(journal, { recursive: true, force: true }));
  return { ...processEnvironment(platform), DOCS_PLATFORM_JOURNAL: journal };
}
