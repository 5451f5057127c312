import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { executablesOnPath } from "../../../tools/processes/executables";

const names = ["chromium", "chromium-browser", "google-chrome"];
const places = ["/usr/bin/chromium", "/snap/bin/chromium", "/Applications/Chromium.app/Contents/MacOS/Chromium"];

/** The Chromium of this machine; undefined where there is none. */
export const browserFile = [...names.flatMap(executablesOnPath), ...places].find((file) => existsSync(file));

/** In a container the browser's own sandbox is not to be had; the pages are our own. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: browserFile ?? "", args: ["--no-sandbox"] });
}

/**
 * Opens a site, and each page of its navigation by a click.
 * @returns the titles of the pages, and what went wrong: errors of scripts, and addresses that were not answered well.
 */
export async function readInChromium(origin: string): Promise<{ titles: string[]; faults: string[] }> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => void faults.push(error.message));
    page.on("response", (answer) => void (answer.status() < 400 || faults.push(answer.url())));
    await page.goto(origin);
    const titles = await page.locator("nav li a").allTextContents();
    for (const title of titles) {
      await page.getByRole("link", { name: title, exact: true }).first().click();
      await page.locator("nav [aria-current]", { hasText: title }).waitFor();
    }
    return { titles, faults };
  } finally {
    await browser.close();
  }
}
