import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { collectGarbageAfter } from "../../../../../provider/mirror/transfer/collectGarbage";
import { until } from "../../../../support/until";

const mebibyte = 1024 ** 2;

it("what was read is freed once enough has come, and the collector is nobody else's to call", async () => {
  for (let count = 0; count < 256; count++) {
    Buffer.allocUnsafeSlow(64 * 1024);
  }
  const { arrayBuffers: held } = process.memoryUsage();
  collectGarbageAfter(9 * mebibyte);
  await until(() => process.memoryUsage().arrayBuffers < held - 8 * mebibyte);
  expect(runInNewContext("typeof gc")).toBe("undefined");
});
