import { registryDocs } from "../release/terraform/registryDocs.js";

/** Makes the reference in HCL: all pages of Terraform's registry on one page, without the guide. */
export function terraformPage(): string {
  const pages = [...registryDocs()].filter(([path]) => !path.startsWith("guides/"));
  const sections = pages.map(([, text]) => lowered(text.replace(/^---\n.*?\n---\n\n/s, "")).trim());
  return `${["# Terraform and OpenTofu", ...sections].join("\n\n")}\n`;
}

/** Lowers each heading by one level, except in code, where `#` begins a comment. */
function lowered(markdown: string): string {
  const [text = "", ...rest] = markdown.split("```terraform\n");
  const demoted = (part: string) => part.replaceAll(/^#/gm, "##");
  const afterCode = rest.map((part) => {
    const [code = "", ...after] = part.split("\n```\n");
    return `\`\`\`hcl\n${code}\n\`\`\`\n${demoted(after.join("\n```\n"))}`;
  });
  return [demoted(text), ...afterCode].join("");
}
