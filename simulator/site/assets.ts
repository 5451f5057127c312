/** The one style sheet. System fonts only: nothing is requested. */
export const style = `:root {
  color-scheme: light dark;
  --text: light-dark(#1d2433, #dfe4ee);
  --faint: light-dark(#5b6579, #98a2b5);
  --back: light-dark(#ffffff, #12161f);
  --panel: light-dark(#f5f7fa, #1a202c);
  --line: light-dark(#d9dfe8, #313a4b);
  --link: light-dark(#1f5fbf, #7fb2ff);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  display: grid;
  grid-template-columns: 17rem minmax(0, 1fr);
  color: var(--text);
  background: var(--back);
  font: 16px/1.6 system-ui, sans-serif;
}
header { display: none; }
nav {
  position: sticky;
  top: 0;
  height: 100vh;
  overflow-y: auto;
  padding: 1.5rem 1rem;
  background: var(--panel);
  border-right: 1px solid var(--line);
}
nav ul { list-style: none; margin: 1rem 0; padding: 0; }
nav a { display: block; padding: .25rem .6rem; border-radius: .4rem; color: inherit; text-decoration: none; }
nav a:hover { background: var(--line); }
nav a[aria-current] { color: var(--link); font-weight: 600; }
nav .site { font-weight: 700; }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 56rem; min-width: 0; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2em 0 .6em; }
h1 { margin-top: 0; }
main a[href] { color: var(--link); }
img { max-width: 100%; }
code, pre { font: .875em/1.55 ui-monospace, "Cascadia Code", Menlo, Consolas, monospace; }
code { padding: .1em .35em; border-radius: .3em; background: var(--panel); }
pre { padding: 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel); }
pre code { padding: 0; background: none; }
table { display: block; overflow-x: auto; border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .45rem .75rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--panel); }
blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 4px solid var(--line); color: var(--faint); }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
@media (max-width: 50rem) {
  body { display: block; }
  header { display: block; padding: .75rem 1rem; border-bottom: 1px solid var(--line); }
  nav { display: none; position: static; height: auto; border-right: 0; }
  nav.open { display: block; }
}
`;

/** The one script: opens the navigation on narrow screens and brings the current page into view. */
export const script = `const menu = document.getElementById("menu");
const pages = document.getElementById("pages");
menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", String(pages.classList.toggle("open")));
});
pages.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
`;
