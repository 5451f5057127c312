/** Uses system fonts, so that a page loads no font. */
export const style = `:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 16px/1.6 system-ui, sans-serif; }
nav { padding: 1.5rem 1rem; border-right: 1px solid; }
nav ul { list-style: none; margin: 1rem 0; padding: 0; }
nav a { display: block; color: inherit; text-decoration: none; }
nav .site, nav a[aria-current] { font-weight: 700; }
main { padding: 2rem; max-width: 56rem; min-width: 0; }
img { max-width: 100%; }
pre, table { display: block; overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .45rem .75rem; border: 1px solid; text-align: left; }
@media (max-width: 50rem) { body { display: block; } }
`;
