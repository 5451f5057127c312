import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, it } from "vitest";
import { allSettings } from "../../provider/settings/settingTable";
import { campaign } from "../support/campaign";
import { testPlatform } from "../support/engineTest";
import { answer, serve } from "../support/loopback";
import { contentIn } from "../support/mirror/storage";
import { secretNames } from "../support/protocol/messages";
import { environmentOf } from "../support/protocol/protocolHosts";
import { type KnownResource, ProviderClient, urnOf } from "../support/protocol/providerClient";
import { EngineServer, startPlugin } from "../support/protocol/providerProcess";
import { campaignSeed } from "../support/random";
import { temporaryFolder } from "../support/temporaryFolder";

const azureKey = Buffer.from("s3cr3t-of-the-account").toString("base64");
const secretInFile = "svc_of-a-file-0123456789";
const theirKey = "svc_theirs-0123456789";

type Kind = "StaticExport" | "ExportBundle" | "BundleMirror";

/**
 * Makes a machine with storage credentials, files and a state, and the server of an attacker who can change this state.
 */
async function world() {
  const ours = await testPlatform();
  const theirs = await serve(answer(200, { jobId: "x", status: "completed" }));
  const folder = temporaryFolder();
  const [program, started, file] = [join(folder, "program"), join(folder, "started"), join(folder, "secret")];
  writeFileSync(program, `#!/bin/sh\necho started >> ${started}\necho ${secretInFile}\n`);
  chmodSync(program, 0o755);
  writeFileSync(file, secretInFile, { mode: 0o600 });
  const others = join(folder, "others");
  mkdirSync(others);
  writeFileSync(join(others, "index.html"), "of others");
  const environment = { ...environmentOf(ours), AZURE_STORAGE_KEY: azureKey, PULUMI_CONFIG: "{}" };
  const engine = await EngineServer.start();
  /** @param lacking the variables to leave out of the environment. */
  const open = async (lacking: readonly string[] = []) => {
    const given = Object.fromEntries(Object.entries(environment).filter(([name]) => !lacking.includes(name)));
    return new ProviderClient(await startPlugin(given, engine.address));
  };
  const { jobId } = ours.jobs.add({ domain: "docs.example.com", status: "completed" });
  const inputs = {
    StaticExport: { domain: "docs.example.com", jobId },
    ExportBundle: { jobId },
    BundleMirror: { jobId, layout: "site", destination: pathToFileURL(join(folder, "mirror")).href },
  };
  const client = await open();
  await client.configure({});
  const known = {} as Record<Kind, KnownResource>;
  for (const kind of Object.keys(inputs) as Kind[]) {
    const checked = (await client.check(urnOf(kind, "x"), inputs[kind])).inputs;
    known[kind] = { inputs: checked, ...(await client.create(urnOf(kind, "x"), checked)) };
  }
  const values = fc.constantFrom<unknown>(
    ...[program, file, theirs.url, pathToFileURL(others).href, `oci-layout://${others}`, "", null, -1, "x"],
    `azblob://account/container?endpoint=${theirs.url}/account`,
    `oci://127.0.0.1:${theirs.port}/repository?plainHttp=true`,
  );
  return { open, ours, theirs, started, others, known, values };
}

type World = Awaited<ReturnType<typeof world>>;

function attacksIn({ known, values }: World) {
  const names = allSettings.map(({ name }) => name);
  const provider = fc.record({
    name: fc.constantFrom("default", "theirs"),
    inputs: fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 4 }),
    /** Settings that would send a secret to the attacker if the provider did not check them. */
    worst: fc.constantFrom("none", "apiKeyCommand", "apiKeyFile", "address"),
  });
  return fc.record({
    provider,
    lacking: fc.subarray(["DOCS_PLATFORM_API_KEY", "DOCS_PLATFORM_BASE_URL"]),
    kind: fc.constantFrom("StaticExport" as const, ...(Object.keys(known) as Kind[])),
    fields: fc.array(fc.tuple(fc.nat(), values), { maxLength: 3 }),
    operation: fc.constantFrom("refresh" as const, "refresh" as const, "destroy" as const, "up" as const),
  });
}

type Attack = ReturnType<typeof attacksIn> extends fc.Arbitrary<infer A> ? A : never;

function providerInputs({ theirs, started }: World, { provider: { inputs, worst } }: Attack) {
  const program = started.replace(/started$/, "program");
  const to = { baseUrl: theirs.url };
  const more = {
    none: {},
    address: to,
    apiKeyCommand: { ...to, apiKeyCommand: program, signingKeyCommand: program },
    apiKeyFile: { ...to, apiKeyFile: started.replace(/started$/, "secret") },
  };
  return { ...inputs, ...more[worst] };
}

async function attack(all: World, drawn: Attack): Promise<void> {
  const { kind, fields, operation, provider, lacking } = drawn;
  const saved = all.known[kind];
  const names = Object.keys(saved.outputs);
  const outputs = {
    ...saved.outputs,
    // The provider sends requests about a job only to the origin in the state, so the attacker also changes it.
    ...(provider.worst !== "none" && operation !== "up" && { __origin: all.theirs.url }),
    ...Object.fromEntries(fields.map(([which, value]) => [names[which % names.length], value])),
  } as KnownResource["outputs"];
  const client = await all.open(operation === "up" ? [] : lacking);
  const urn = urnOf(kind, "x");
  const found = { ...saved, outputs };
  if (operation === "up") {
    await client.checkConfig({});
    await client.configure({});
    await client.diff(urn, found, saved.inputs);
    await client.update(urn, found, saved.inputs);
  } else {
    await client.configure(providerInputs(all, drawn) as KnownResource["inputs"], provider.name);
    await (operation === "refresh" ? client.read(urn, found) : client.delete(urn, found));
  }
}

/** Attacks that succeeded in an earlier version. */
const known: Attack[] = (["apiKeyCommand", "apiKeyFile", "address"] as const).map((worst) => ({
  provider: { name: "theirs", inputs: {}, worst },
  ...{ lacking: [], kind: "StaticExport", fields: [], operation: "refresh" },
}));

it("whoever writes the state starts no program, gets no secret of this machine, and removes nothing of others", async () => {
  const all = await world();
  const before = contentIn(all.others);
  const property = fc.asyncProperty(attacksIn(all), async (drawn) => {
    rmSync(all.started, { force: true });
    all.theirs.requests.splice(0);
    // The provider refuses most operations with a state that somebody has edited.
    await attack(all, drawn).catch(() => {});
    const sent = all.theirs.requests.map(({ headers, url, body }) =>
      JSON.stringify([headers, url, body]).replaceAll(theirKey, ""),
    );
    expect(existsSync(all.started), "a program has started").toBe(false);
    expect(sent.filter((text) => /SharedKey|authorization|cookie/i.test(text) || text.includes(secretInFile))).toEqual(
      [],
    );
    expect(contentIn(all.others)).toEqual(before);
  });
  await fc.assert(property, {
    seed: campaignSeed(),
    numRuns: campaign ? 300 : 10,
    examples: known.map((one) => [one]),
  });
});

it("whoever reads the state of a mirror does not get the secret that seals its list of files", async () => {
  const { known } = await world();
  expect(secretNames(known.BundleMirror.outputs)).toEqual(["__publication"]);
});
