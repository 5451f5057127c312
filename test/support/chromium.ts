import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { executablesOnPath } from "../../tools/processes/executables";

const names = ["chromium", "chromium-browser", "google-chrome"];
const places = ["/usr/bin/chromium", "/snap/bin/chromium", "/Applications/Chromium.app/Contents/MacOS/Chromium"];

/** The path of Chromium, or undefined if it is not installed. */
export const browserFile = [...names.flatMap(executablesOnPath), ...places].find((file) => existsSync(file));

/** Chromium's sandbox does not work in a container. The tests do not need it: they open only our own pages. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: browserFile ?? "", args: ["--no-sandbox"] });
}
