import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { executablesOnPath } from "../../tools/processes/executables";

const names = ["chromium", "chromium-browser", "google-chrome"];
const places = ["/usr/bin/chromium", "/snap/bin/chromium", "/Applications/Chromium.app/Contents/MacOS/Chromium"];

/** The Chromium of this machine; undefined if there is none. */
export const browserFile = [...names.flatMap(executablesOnPath), ...places].find((file) => existsSync(file));

/** The browser's own sandbox does not work in a container, and is not needed, because the pages are our own. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: browserFile ?? "", args: ["--no-sandbox"] });
}
