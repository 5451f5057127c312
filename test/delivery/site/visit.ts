export type Origin = (path: string) => Promise<Response>;

export interface Visited {
  status: number;
  /** The path and the query after all redirects. */
  address: string;
  type: string;
  body: string;
}

/**
 * Follows redirects, as a browser does.
 * @throws Error if a redirect leads to another host, or if the redirects do not end.
 */
export async function visit(origin: Origin, address: string): Promise<Visited> {
  let url = new URL(address, "https://docs.example.com");
  for (let redirects = 0; redirects < 5; redirects++) {
    const response = await origin(`${url.pathname}${url.search}`);
    const target = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || target === null) {
      const type = response.headers.get("content-type") ?? "";
      return { status: response.status, address: url.pathname + url.search, type, body: await response.text() };
    }
    await response.body?.cancel();
    const next = new URL(target, url);
    if (next.host !== url.host) {
      throw new Error(`${url.pathname} leads to another host: ${target}`);
    }
    url = next;
  }
  throw new Error(`${address} leads in a circle`);
}

/** @param removes true if the ingress removes the base path from each request. */
export function behindIngress(server: string, basePath: string, removes: boolean): Origin {
  return async (path) => {
    const rest = path.slice(basePath.length);
    if (!path.startsWith(basePath) || !/^([/?]|$)/.test(rest)) {
      return new Response("not a path of this site", { status: 421 });
    }
    const inner = rest.startsWith("/") ? rest : `/${rest}`;
    return fetch(server + (removes ? inner : path), { redirect: "manual" });
  };
}
