import { beforeAll } from "vitest";
import { fetchNode } from "../../tools/processes/fetchNode";

/** In milliseconds. The first call on a machine downloads some 50 MB. */
const firstDownload = 600_000;

/** Gets a Node.js that is too old for the provider, before the tests of a file. Returns a function for its folder. */
export function oldNodeOfFile(): () => string {
  let folder = "";
  beforeAll(async () => {
    folder = await fetchNode("20");
  }, firstDownload);
  return () => folder;
}
