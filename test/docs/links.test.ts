import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { documents, readDocument } from "./documents";

const pages = new Map(documents.map((path) => [path, readDocument(path)]));

/** A link that begins with this address leads to a file of the project. */
const repository = "https://github.com/pulumi-docs-platform/pulumi-docs-platform/blob/main/";

/** Returns the reason why a link is broken. A link to another site counts as good. */
function problemOf(from: string, link: string): string | undefined {
  if (link.startsWith(repository)) {
    return problemOf("README.md", link.slice(repository.length));
  }
  if (/^[a-z]+:/.test(link)) {
    return /^https:\/\//.test(link) ? undefined : "is not https";
  }
  const [path = "", anchor] = decodeURIComponent(link).split("#");
  const target = path === "" ? from : posix.join(posix.dirname(from), path);
  if (!existsSync(join(projectRoot, target))) {
    return "is not there";
  }
  // Only code hosts such as GitHub show a page for a folder.
  if (statSync(join(projectRoot, target)).isDirectory()) {
    return "is a folder";
  }
  return anchor === undefined || pages.get(target)?.anchors.has(anchor) ? undefined : "has no such heading";
}

it.each([...pages.keys()])("every link leads somewhere: %s", (from) => {
  const problems = pages.get(from)?.links.flatMap((link) => {
    const problem = problemOf(from, link);
    return problem === undefined ? [] : `${link} ${problem}`;
  });
  expect(problems).toEqual([]);
});

it.each([...pages.keys()].filter((path) => /^examples\/[^/]+\/README\.md$/.test(path)))(
  "every link holds in a copy that `pulumi new` makes: %s",
  (from) => {
    expect(pages.get(from)?.links.filter((link) => link.startsWith("../"))).toEqual([]);
  },
);

it("finds the links that lead nowhere", () => {
  const wrong = [
    "no-such.md",
    "#no-such",
    "README.md#no-such",
    "docs",
    "http://example.com",
    `${repository}no-such.md`,
  ];
  expect(wrong.map((link) => problemOf("README.md", link))).toEqual([
    "is not there",
    "has no such heading",
    "has no such heading",
    "is a folder",
    "is not https",
    "is not there",
  ]);
});
