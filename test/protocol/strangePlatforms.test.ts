import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ArchiveFormat } from "../../provider/mirror/archive/format";
import { campaign } from "../support/campaign";
import { folderFor } from "../support/mirror/storage";
import { ProviderProcess, type Saved } from "../support/providerProcess";
import { type Strange, strangePlatforms } from "../support/strangeHabits";
import { type Operation, type StrangePlatform, strangePlatform } from "../support/strangePlatform";
import { archiveOf, type Files } from "../unit/provider/mirror/archive/archives";

const domain = "docs.example.com";
const agentJob = { projectId: "docs", id: "agent-1" };
const files: Files = [
  ["index.html", "<h1>Docs</h1>"],
  ["guide/index.html", "<h1>Guide</h1>"],
];

async function bundleOf(form = "tar.gz"): Promise<Buffer> {
  switch (form) {
    case "folder":
      return gzipSync(
        await archiveOf(
          "tar",
          files.map(([name, content]) => [`site-7/${name}`, content]),
        ),
      );
    case "dotted":
      return gzipSync(
        await archiveOf(
          "tar",
          files.map(([name, content]) => [`./${name}`, content]),
        ),
      );
    default:
      return archiveOf(form as ArchiveFormat, files);
  }
}

/** The state as a run finds it long after: the link has ended. */
function aged(saved: Saved): Saved {
  const shifted = (name: string) => new Date(Date.parse(String(saved.properties[name])) - 86_400_000).toISOString();
  return {
    ...saved,
    properties: { ...saved.properties, issuedAt: shifted("issuedAt"), expiresAt: shifted("expiresAt") },
  };
}

/** What does not hold on one strange platform. */
async function troublesOf(front: StrangePlatform, provider: ProviderProcess, strange: Strange): Promise<string[]> {
  front.habit = { ...strange.habit, bundle: await bundleOf(strange.archive) };
  front.asked.length = 0;
  const troubles: string[] = [];
  const count = (operation: Operation) => front.asked.filter((asked) => asked === operation).length;
  const requireEqual = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted) {
      troubles.push(`${what} is ${found}, not ${wanted}`);
    }
  };
  const [site, bundle, mirror, message] = (
    ["StaticExport", "ExportBundle", "BundleMirror", "AgentMessage"] as const
  ).map((kind) => provider.resource(kind, `r${front.requests.length}`)) as [Resource, Resource, Resource, Resource];
  type Resource = ReturnType<ProviderProcess["resource"]>;
  const made = async (resource: Resource, given: Record<string, unknown>) => {
    const { inputs, failures } = await resource.check(given);
    if (failures.length > 0) {
      throw new Error(failures.map(({ property, reason }) => `${property} ${reason}`).join("; "));
    }
    return { inputs, saved: await resource.create(inputs) };
  };
  try {
    const job = await made(site, { domain, ...strange.site });
    requireEqual("starts", count("startExport"), 1);
    requireEqual("status", job.saved.properties.status, "completed");
    const jobId = job.saved.id;
    const link = await made(bundle, { jobId });
    requireEqual("mints", count("generateBundle"), 1 + (strange.lateMints ?? 0));

    front.asked.length = 0;
    for (const [resource, { saved, inputs }] of [
      [site, job],
      [bundle, link],
    ] as const) {
      requireEqual("a change where nothing changed", (await resource.diff(saved, inputs)).changes, false);
    }
    requireEqual("requests of an unchanged run", front.asked.length, 0);

    const old = aged(link.saved);
    requireEqual("a link that has ended is due", (await bundle.diff(old, link.inputs)).changes, true);
    const renewed = await bundle.update(old, link.inputs);
    requireEqual("mints of a renewal", front.asked.join(), "generateBundle");
    requireEqual("job of a renewal", renewed.properties.jobId, jobId);

    const folder = folderFor();
    await made(mirror, { jobId, layout: "site", destination: pathToFileURL(folder).href });
    requireEqual("the mirrored page is there", existsSync(join(folder, "guide", "index.html")), true);

    front.asked.length = 0;
    const sent = await made(message, { jobId: agentJob.id, projectId: agentJob.projectId, prompt: "Go on." });
    const seen = await message.read(sent.saved);
    requireEqual("status of the agent's job", /^(active|completed)$/.test(String(seen?.properties.status)), true);
    requireEqual("requests for a message", front.asked.join(), "sendMessage,getAgentJob");
  } catch (error) {
    troubles.push(String((error as Error).message).split("\n")[0] ?? "");
  }
  return troubles;
}

const axes = groups(strangePlatforms, ({ axis }) => axis);
const tried = campaign
  ? axes
  : new Map([["the first value of each axis", [...axes.values()].flatMap((values) => values.slice(0, 1))]]);

function groups<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    found.set(nameOf(item), [...(found.get(nameOf(item)) ?? []), item]);
  }
  return found;
}

describe("on a platform whose habits the API text does not show", () => {
  it.each([...tried.keys()])(
    "a first run, an unchanged one, a renewal, a mirror and a message hold: %s",
    async (some) => {
      const broken: string[] = [];
      // A process reads its settings once.
      const settings = ({ apiKey, environment, warns }: Strange) => JSON.stringify([apiKey, environment, warns]);
      for (const [first, ...others] of groups(tried.get(some) ?? [], settings).values()) {
        if (first !== undefined) {
          const front = await strangePlatform(first.apiKey);
          const provider = await ProviderProcess.start(front, { environment: { ...first.environment } });
          const expected = new RegExp(first.warns ?? "^$");
          for (const strange of [first, ...others]) {
            const troubles = await troublesOf(front, provider, strange);
            broken.push(...troubles.map((trouble) => `${strange.axis}, ${strange.value}: ${trouble}`));
          }
          const told = provider.warnings.filter((text) => !text.endsWith("will be renewed"));
          broken.push(...told.filter((text) => !expected.test(text)));
        }
      }
      expect(broken).toEqual([]);
    },
  );
});
