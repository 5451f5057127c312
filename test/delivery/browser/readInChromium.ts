import { launchChromium } from "../../support/chromium";

/**
 * Clicks every page in the site's navigation.
 * @returns the titles of the pages, and the faults: script errors, failed requests, and requests to another origin.
 */
export async function readInChromium(origin: string): Promise<{ titles: string[]; faults: string[] }> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => void faults.push(error.message));
    page.on("response", (answer) => void (answer.status() < 400 || faults.push(answer.url())));
    page.on("console", (message) => void (message.type() === "log" || faults.push(message.text())));
    page.on(
      "request",
      (asked) => void (/^data:/.test(asked.url()) || asked.url().startsWith(`${origin}/`) || faults.push(asked.url())),
    );
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
