import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { archiveError, quoteForMessage } from "../../../../provider/mirror/archive/archiveError";
import { readAdminApiKey } from "../../../../provider/platform/apiKeys";
import { parseHeaderFields } from "../../../../provider/settings/headerFields";
import { campaign } from "../../../support/campaign";
import {
  type ClientOperation,
  clientFor,
  clientOperations,
  goodBody,
  never,
  rejection,
} from "../../../support/clientUnderTest";
import { answer, type Reply, serve } from "../../../support/loopback";
import { arbitraryEcho, arbitrarySecret, shownParts } from "../../../support/secretParts";
import { temporaryFolder } from "../../../support/temporaryFolder";

const job = (fields: object) => answer(200, { ...goodBody, ...fields });
/** The provider may show some parts of an answer. For each: an operation, and a reply with a text in this part. */
const places: Record<string, [ClientOperation, (text: string) => Reply]> = {
  "the error": ["getExport", (text) => answer(400, { error: text })],
  "the body": ["startExport", (text) => answer(403, text)],
  "an error with HTTP 200": ["sendMessage", (text) => answer(200, { error: { message: text } })],
  "a job's error": ["getExport", (text) => job({ status: "failed", error: text })],
  "a job's other field": ["getExport", (text) => job({ status: "failed", reason: { why: [text] } })],
  "the name of a field": ["getAgentJob", (text) => job({ status: "failed", [text]: "x" })],
  "a job's status": ["getExport", (text) => job({ status: text })],
  "a job's domain": ["getExport", (text) => job({ domain: `${text.trim()}.example.com` })],
  "a job that another one is in the way of": ["startExport", (text) => answer(409, { jobId: text })],
  "a started job's id": ["startExport", (text) => answer(202, { jobId: text })],
  "another job's id": ["getExport", (text) => job({ jobId: text })],
  "an agent's status": ["getAgentJob", (text) => job({ status: text })],
  "a repository": ["sendMessage", (text) => job({ source: { repository: text, ref: text } })],
  "a model": ["getAgentJob", (text) => job({ model: text })],
  "the address of a change": ["sendMessage", (text) => job({ prLink: text })],
  "a redirect": ["getExport", (text) => answer(302, "", { location: `https://${encodeURIComponent(text)}.test/` })],
  "a request id": ["getExport", (text) => answer(404, "", { "x-request-id": text.replace(/[^\w.:=+/-]/g, "") })],
};

/** For each secret that a client may use, a function that makes a client with it. */
const holders: Record<string, (value: string, url: string, folder: string) => ReturnType<typeof clientFor>> = {
  "the key": (value, url, folder) => {
    const file = join(folder, "key");
    writeFileSync(file, value);
    return clientFor(url, { apiKey: { file, from: "the test" }, maxRetries: 0 });
  },
  "a header": (value, url) => {
    const headers = parseHeaderFields(JSON.stringify({ "X-Gateway-Token": value }));
    return clientFor(url, { headers: "problem" in headers ? [] : headers, maxRetries: 0 });
  },
  "a link": (_, url) => clientFor(url, { maxRetries: 0 }),
};

it("no answer brings a part of a secret out again, whatever the place, the encoding and the cut", async () => {
  let reply: Reply = answer(500, "");
  const server = await serve((...given) => reply(...given));
  const folder = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(
      arbitrarySecret,
      fc.constantFrom(...Object.keys(holders)),
      fc.constantFrom(...Object.keys(places)),
      arbitraryEcho,
      async (value, holder, place, { text }) => {
        const client = (holders[holder] as (typeof holders)[string])(value, server.url, folder);
        const bundleUrl = `https://files.example.com/a.tgz?X-Amz-Signature=${encodeURIComponent(value)}`;
        reply = job({ bundleUrl });
        await clientOperations.createBundle(client);
        const [operation, replyWith] = places[place] as (typeof places)[string];
        reply = replyWith(text(value));
        const result = await clientOperations[operation](client).catch((error: Error) => error.message + error.stack);
        expect(shownParts(value, `${JSON.stringify(result)}\n${client.traced.join("\n")}`)).toEqual([]);
      },
    ),
    { numRuns: campaign ? 20_000 : 250, seed: 4106 },
  );
}, 900_000);

describe("no error shows a part of a key, whatever the encoding and the cut,", () => {
  it("if an archive's name repeats it", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySecret, arbitraryEcho, async (value, { text }) => {
        const file = join(temporaryFolder(), "key");
        writeFileSync(file, value);
        await readAdminApiKey({ file, from: "the test" }, never);
        expect(
          shownParts(value, archiveError(`the entry ${quoteForMessage(text(value))} is too long`).message),
        ).toEqual([]);
      }),
      { numRuns: campaign ? 5_000 : 300, seed: 4107 },
    );
  });

  it("if the command that has printed it complains of it", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySecret, arbitraryEcho, async (value, { text }) => {
        const script =
          "const [, key, text] = process.argv; console.log(key); process.stderr.write(text); process.exitCode = 1";
        const command = [process.execPath, "-e", script, value, text(value)];
        const { message } = await rejection(readAdminApiKey({ command, from: "the test" }, never));
        expect(message).toContain("exit code 1");
        expect(shownParts(value, message)).toEqual([]);
      }),
      { numRuns: campaign ? 500 : 30, seed: 4108 },
    );
  }, 120_000);
});
