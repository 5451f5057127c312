import { type DrawnSite, type Link, typeOf } from "./drawnSite";
import { type Origin, type Visited, visit } from "./visit";

export interface Crawl {
  links: number;
  /** A sentence for each link with a wrong answer. */
  faults: string[];
}

/**
 * Follows every link of every page, from each address of that page. Also requests each file by its own path, and one
 * address without a page.
 * @param follows returns false for a link that this kind of server need not answer.
 */
export async function crawl(site: DrawnSite, origin: Origin, follows: (link: Link) => boolean): Promise<Crawl> {
  const faults: string[] = [];
  const seen = new Set<string>();
  let links = 0;

  async function expectFile(address: string, target: string, why: string): Promise<Visited> {
    const answer = await visit(origin, address).catch((error: Error) => error);
    if (answer instanceof Error) {
      faults.push(`${why}: ${answer.message}`);
      return { status: 0, address, type: "", body: "" };
    }
    const { status, body, type } = answer;
    const content = site.files.get(target);
    if (status !== 200 || body !== content) {
      faults.push(`${why}: ${address} is answered with ${status} and ${JSON.stringify(body.slice(0, 60))}`);
    } else if (type !== typeOf(target)) {
      faults.push(`${why}: ${address} has the type ${type}`);
    }
    return answer;
  }

  const addressOf = (path: string) => `${site.basePath}/${path.split("/").map(encodeURIComponent).join("/")}`;
  const open = [...site.links.keys()].map((page) => ({ page, address: addressOf(page) }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { page, address } = next;
    if (seen.has(address)) {
      continue;
    }
    seen.add(address);
    for (const link of (site.links.get(page) ?? []).filter(follows)) {
      links++;
      const { pathname, search } = new URL(link.href, `https://docs.example.com${address}`);
      const answer = await expectFile(
        pathname + search,
        link.target,
        `${page} at ${address}, ${link.href} (${link.form})`,
      );
      if (answer.status === 200 && site.links.has(link.target)) {
        open.push({ page: link.target, address: answer.address.replace(/\?.*/s, "") });
      }
    }
  }
  for (const target of site.files.keys()) {
    if (follows({ target, form: "file", href: addressOf(target) })) {
      await expectFile(addressOf(target), target, "its own address");
    }
  }
  const unknown = await visit(origin, `${site.basePath}/no-such-page.html`);
  if (unknown.status !== 404 || (site.notFound !== undefined && unknown.body !== site.notFound)) {
    faults.push(
      `an unknown address is answered with ${unknown.status} and ${JSON.stringify(unknown.body.slice(0, 60))}`,
    );
  }
  return { links, faults };
}
