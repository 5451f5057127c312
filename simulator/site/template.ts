import { relativePath } from "./linkResolver";
import type { Page } from "./page";

export const stylePath = "style.css";

/** All links are relative. */
export function renderPageHtml(page: Page, pages: readonly Page[], body: string): string {
  const to = (target: string) => escapeHtml(encodeURI(relativePath(page.target, target)));
  const siteTitle = pages[0]?.title ?? page.title;
  const title = page.title === siteTitle ? siteTitle : `${page.title} – ${siteTitle}`;
  const links = pages.map((other) => {
    const current = other === page ? ' aria-current="page"' : "";
    return `<li><a href="${to(other.target)}"${current}>${escapeHtml(other.title)}</a></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to(stylePath)}">
</head>
<body>
<nav aria-label="Pages">
<a class="site" href="${to("index.html")}">${escapeHtml(siteTitle)}</a>
<ul>
${links.join("\n")}
</ul>
</nav>
<main>
${body}</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);
}
