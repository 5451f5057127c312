import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { anError, testStack } from "../../support/engineTest";
import { leaks } from "../../support/leaks";
import { strangePlatform } from "../../support/strangePlatform";

const domain = "docs.example.com";

it("a secret in exportOptions is sent, and lies in clear in no state, no journal and no output", async () => {
  const front = await strangePlatform();
  front.habit = { request: ({ operation, method, path }) => ({ operation, method, path, body: { domain } }) };
  const token = randomBytes(24).toString("hex");
  const site = { domain, exportOptions: { format: "html", locales: ["en", "de"] } };
  const stack = await testStack(front, { site, secretOption: "EXPORT_TOKEN" });
  stack.environment.EXPORT_TOKEN = token;
  const clear = () => expect(leaks(stack.folder, stack.printed, [token])).toEqual([]);
  const bodies = () => front.requests.filter(({ operation }) => operation === "startExport").map(({ body }) => body);

  const first = await stack.up();
  expect(first.code, first.output).toBe(0);
  expect(bodies()).toEqual([{ ...site.exportOptions, nested: { token }, domain }]);
  clear();

  // The new secret changes the start request, so the export is replaced.
  const other = randomBytes(24).toString("hex");
  stack.environment.EXPORT_TOKEN = other;
  const preview = await stack.preview();
  expect(preview).toMatchObject({ code: 0, requests: [] });
  expect(preview.output).toMatch(/\+-.*replace/);
  expect(preview.output).toContain("[secret]");
  expect(leaks(stack.folder, stack.printed, [token, other])).toEqual([]);

  stack.declare({ site: { domain, exportOptions: { domain: "other.example.com" } } });
  const refused = await stack.preview();
  expect(refused).toMatchObject({ code: anError, requests: [] });
  expect(refused.output).toMatch(/exportOptions.*domain/);
});

it("a label of the export becomes the version of the values, as the page on pinning says; another label is another export", async () => {
  const front = await strangePlatform();
  const stack = await testStack(front, {});
  const labels = () =>
    front.requests.filter(({ operation }) => operation === "startExport").map(({ body }) => body.version);
  const publish = async (label: string) => {
    stack.declare({ site: { domain, exportOptions: { version: label } }, bundle: { version: label } });
    const { code, output } = await stack.up();
    expect(code, output).toBe(0);
    const { values, bundleUrl } = await stack.outputs();
    expect(values).toEqual({ staticExport: { enabled: true, bundleUrl, version: label } });
  };
  await publish("2024-06-01");
  await publish("2024-06-02");
  expect(labels()).toEqual(["2024-06-01", "2024-06-02"]);
});
