import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTerraformProvider } from "../../../provider/hosts/terraform/methodTable";
import { providerSchema } from "../../../provider/hosts/terraform/schema";
import { encodeDynamicValue } from "../../../provider/hosts/terraform/values";
import { terraformMethods } from "../../../provider/hosts/terraform/wire/messages";
import { serveRpc } from "../../../provider/rpc/rpcServer";
import { startPlatform } from "../../support/compiledPlatform";

afterEach(() => vi.restoreAllMocks());

describe("an action of Terraform, over its socket", () => {
  it("streams its progress, and shows at last how it ended, or what is wrong with it, as a plan does; who vanishes disturbs nobody", async () => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const folder = mkdtempSync(join(tmpdir(), "terraform-action-"));
    const platform = await startPlatform({ queueTime: 0, jobTime: 0 });
    const path = join(folder, "socket");
    const { close } = await serveRpc(() => createTerraformProvider(() => {}).methods, undefined, { path });
    const bare = connect(path);
    await once(bare, "connect");
    bare.destroy();
    const session = connectHttp2("http://localhost", { createConnection: () => connect(path) });
    const call = async (name: string, body: Uint8Array): Promise<Buffer[]> => {
      const stream = session.request({ ":method": "POST", ":path": `/tfplugin6.Provider/${name}` });
      const prefix = Buffer.alloc(5);
      prefix.writeUInt32BE(body.length, 1);
      stream.end(Buffer.concat([prefix, body]));
      const chunks: Buffer[] = [];
      for await (const chunk of stream) {
        chunks.push(chunk);
      }
      const messages: Buffer[] = [];
      for (let rest = Buffer.concat(chunks); rest.length > 0; ) {
        const end = 5 + rest.readUInt32BE(1);
        messages.push(rest.subarray(5, end));
        rest = rest.subarray(end);
      }
      return messages;
    };
    try {
      const { attributes } = providerSchema.provider;
      const none = Object.fromEntries(Object.keys(attributes).map((name) => [name, null]));
      const config = encodeDynamicValue({ ...none, base_url: platform.baseUrl, api_key: platform.apiKey });
      await call("ConfigureProvider", terraformMethods.ConfigureProvider.request.encode({ config }));
      const names = Object.keys(providerSchema.actions.docsplatform_static_export?.attributes ?? {});
      const given = Object.fromEntries(names.map((name) => [name, name === "domain" ? "docs.example.com" : null]));
      const { request, response } = terraformMethods.InvokeAction;
      const asked = { actionType: "docsplatform_static_export", config: encodeDynamicValue(given) };
      const events = (await call("InvokeAction", request.encode(asked))).map((event) => response.decode(event));
      expect(platform.starts).toBe(1);
      expect(events.at(-1)).toEqual({ completed: {} });
      expect(events.at(-2)?.progress?.message).toMatch(/completed in .*docs\.example\.com, job sej_/);
      const wrong = { ...asked, config: encodeDynamicValue({ ...given, domain: "https://docs.example.com" }) };
      const { PlanAction } = terraformMethods;
      const [planned = Buffer.alloc(0)] = await call("PlanAction", PlanAction.request.encode(wrong));
      const [invoked = Buffer.alloc(0)] = await call("InvokeAction", request.encode(wrong));
      const refused = [PlanAction.response.decode(planned), response.decode(invoked).completed];
      expect(refused.map((told) => told?.diagnostics?.[0]?.summary)).toEqual(
        refused.map(() => "DOCS_CONFIGURATION: domain"),
      );
      expect(platform.starts).toBe(1);
      platform.jobTime = 600_000;
      const limited = { ...asked, config: encodeDynamicValue({ ...given, wait_timeout: "1s" }) };
      const ended = response.decode((await call("InvokeAction", request.encode(limited))).at(-1) ?? Buffer.alloc(0));
      const [{ summary = "", detail = "" } = {}] = ended.completed?.diagnostics ?? [];
      const { jobId } = platform.jobs.list().at(-1) ?? {};
      expect(summary).toContain("DOCS_WAIT_TIMEOUT");
      expect(detail).toContain(`Exists now: export job ${jobId}, last seen "running". No state keeps it.`);
      expect(detail).toContain("another invocation starts another job");
      expect(detail).toContain("job_id of a docsplatform_static_export");
      expect(events.slice(0, -1).every(({ progress }) => progress !== undefined)).toBe(true);
    } finally {
      session.destroy();
      close();
      await platform.close();
      rmSync(folder, { recursive: true });
    }
  });
});
