import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Metadata } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../../../tools/projectRoot";

/** The service as it is built: what it loads is looked at, and its messages are those of the SDK. */
const require = createRequire(__filename);
const built = join(projectRoot, "dist", "provider", "hosts", "plugin");
const messages: typeof import("@pulumi/pulumi/proto/provider_pb") = require("@pulumi/pulumi/proto/provider_pb");
const { createService } = require(join(built, "service.js"));
const { PulumiSession } = require(join(built, "..", "pulumi", "session.js"));
const { Struct } = require(join(built, "protocol.js"));

interface Failure {
  details: string;
  code: number;
}

/** Calls a method; resolves with what it answers, or with its error. */
function ask<T>(method: string, request: unknown): Promise<{ answer?: T; error?: Failure }> {
  return new Promise((resolve) => {
    const call = { request, metadata: new Metadata(), getPeer: () => "127.0.0.1:1" };
    createService(new PulumiSession())[method](call, (error: Failure | null, answer: T) =>
      resolve(error ? { error } : { answer }),
    );
  });
}

const urn = (type: string) => `urn:pulumi:test::project::${type}::name`;

describe("the service of the plugin", () => {
  it("has no function but its own, and names those", async () => {
    const { error } = await ask("invoke", new messages.InvokeRequest().setTok("docs-platform:index:getSecrets"));
    expect(error?.details).toMatch(/^there is no function docs-platform:index:getSecrets; there are getStaticExport, /);
  });

  it("has no resource but its own, and names those", async () => {
    const { error } = await ask("check", new messages.CheckRequest().setUrn(urn("docs-platform:index:Site")));
    expect(error?.details).toMatch(/^there is no resource docs-platform:index:Site; there are StaticExport, /);
  });

  it("refuses arguments of a function by their names", async () => {
    const request = new messages.InvokeRequest()
      .setTok("docs-platform:index:helmValues")
      .setArgs(Struct.fromJavaScript({ bundle: { version: "1" }, enabled: "yes", more: 1 }));
    const { answer } = await ask<{ getFailuresList(): { toObject(): object }[] }>("invoke", request);
    expect(answer?.getFailuresList().map((failure) => failure.toObject())).toEqual([
      { property: "bundle", reason: "DOCS_CONFIGURATION: lacks bundleUrl" },
      { property: "enabled", reason: "DOCS_CONFIGURATION: must be true or false" },
      { property: "more", reason: expect.stringContaining("is not an argument of this function") },
    ]);
  });

  it("does not look a bundle up by its id, since each look would mint a link", async () => {
    const request = new messages.ReadRequest().setUrn(urn("docs-platform:index:ExportBundle")).setId("job-1");
    const { error } = await ask("read", request);
    expect(error?.details).toContain("each look would mint a link. Declare it with its jobId");
  });

  it("refuses an input whose value is secret without the engine printing it", async () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: "https://x/" };
    const request = new messages.CheckRequest()
      .setUrn(urn("docs-platform:index:StaticExport"))
      .setNews(Struct.fromJavaScript({ domain: secret }));
    const { answer } = await ask<{ getFailuresList(): { toObject(): object }[] }>("check", request);
    expect(answer?.getFailuresList()[0]?.toObject()).toEqual({
      property: "",
      reason: expect.stringMatching(/^DOCS_CONFIGURATION: domain holds a scheme/),
    });
  });

  it("shows a link as unknown that a wider renewBefore makes due, and as known where it does not", async () => {
    const minute = 60_000;
    const at = (time: number) => new Date(Date.now() + time).toISOString();
    const inputs = { jobId: "job-1", version: "job-1" };
    const state = { ...inputs, bundleUrl: "https://x/", issuedAt: at(-30 * minute), expiresAt: at(30 * minute) };
    const preview = async (renewBefore: string) => {
      const request = new messages.UpdateRequest()
        .setUrn(urn("docs-platform:index:ExportBundle"))
        .setId("job-1")
        .setPreview(true)
        .setOlds(Struct.fromJavaScript({ ...state, __origin: "https://api.example.com" }))
        .setNews(Struct.fromJavaScript({ ...inputs, renewBefore }));
      const { answer } = await ask<{ getProperties(): { toJavaScript(): object } }>("update", request);
      return answer?.getProperties().toJavaScript();
    };
    const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    const times = { issuedAt: unknownText, expiresAt: unknownText };
    expect(await preview("40m")).toMatchObject({ ...inputs, ...times, bundleUrl: { value: unknownText } });
    const { bundleUrl: value, ...known } = state;
    expect(await preview("20m")).toMatchObject({ ...known, bundleUrl: { value } });
  });

  it("keeps secret what has the value of a secret input, and what always is", async () => {
    const { secretOutputs } = require(join(built, "..", "..", "engine", "secrets.js"));
    const given = { values: { domain: "a.example", label: "x" }, secrets: new Set(["domain"]) };
    const outputs = { bundleUrl: "y", domain: "a.example", host: "a.example", label: "x" };
    expect([...secretOutputs(outputs, ["bundleUrl"], given)].sort()).toEqual(["bundleUrl", "domain", "host"]);
  });

  it("loads no library for requests before the first request", () => {
    const names = execFileSync(
      process.execPath,
      [
        "-e",
        `const { processSession } = require(${JSON.stringify(join(built, "..", "pulumi", "session.js"))});
        require(${JSON.stringify(join(built, "service.js"))}).createService(processSession);
        console.log(Object.keys(require.cache).filter((file) => /node_modules.(undici|zod|@aws-sdk)./.test(file)).length)`,
      ],
      { cwd: projectRoot, encoding: "utf8" },
    );
    expect(names.trim()).toBe("0");
  });
});
