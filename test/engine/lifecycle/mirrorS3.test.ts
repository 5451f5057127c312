import { expect, it } from "vitest";
import { anError, mint, testPlatform } from "../../support/engineTest";
import { leaks } from "../../support/leaks";
import { mirrorStack, redeclare, succeeded } from "../../support/mirror/mirrorStack";
import { s3OfFile } from "../../support/mirror/s3Server";
import { filesIn } from "../../support/mirror/storage";

const s3 = s3OfFile();
const bucket = "docs-bucket";

it("a mirror in a bucket stays in the state while the bucket cannot be asked; its life has left the credentials in no file of the stack and in no output", async () => {
  const { server } = s3;
  const made = await mirrorStack(await testPlatform({ jobTime: 0 }));
  const { stack } = made;
  const objects = () => filesIn(server.folderOf(bucket)).filter((name) => !name.startsWith(".sgwtmp"));
  Object.assign(stack.environment, server.environment);
  made.destination = server.destination(bucket, "docs");
  redeclare(made, {});
  succeeded(await stack.up());
  const { jobId, url } = await stack.outputs();
  expect(url).toBe(`${server.endpoint}/${bucket}/docs/${jobId}.tar.gz`);
  redeclare(made, { mirror: { layout: "site" } });
  expect(succeeded(await stack.up()).requests).toEqual([mint(jobId)]);
  expect(objects()).toContain("docs/index.html");

  stack.environment.AWS_SECRET_ACCESS_KEY = "wrong-0123456789";
  const before = objects();
  const { code, output } = await stack.destroy();
  expect(code).toEqual(anError);
  expect(output).toContain("DOCS_DESTINATION");
  expect(await stack.state("mirror")).toBeDefined();
  expect(objects()).toEqual(before);
  Object.assign(stack.environment, server.environment);
  expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
  expect(objects()).toEqual([]);

  const secret = String(server.environment.AWS_SECRET_ACCESS_KEY);
  expect(leaks(stack.folder, stack.printed, [secret])).toEqual([]);
});
