import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot.js";

interface Part {
  title: string;
  text: string;
}

const examples = join(projectRoot, "examples", "reference");

/** Orders a page of typedoc-plugin-markdown: description, example, inputs, outputs, and the signature last. */
export function referencePage(markdown: string): string {
  const page = partsOf(markdown.replaceAll("\n***\n", ""), "##");
  const name = page.before.replace(/^# /, "").trim();
  const isSubject = ({ title }: Part) => title.replace("()", "") === name;
  const subject = page.parts.find(isSubject);
  if (subject === undefined) {
    throw new Error(`the reference of ${name} lacks its subject`);
  }
  const isInputs = ({ title }: Part) => title.toLowerCase() === `${name}Args`.toLowerCase();
  const others = page.parts.filter((part) => !isSubject(part) && !isInputs(part));
  const body = partsOf(subject.text, "###");
  const { signature, description } = split(body.before);
  const text = (title: string) => body.parts.find((part) => part.title === title)?.text ?? "";
  const inputs = page.parts.find(isInputs);
  const parts: Part[] = [
    { title: "Example", text: `\`\`\`ts\n${readFileSync(join(examples, `${name}.ts`), "utf8")}\`\`\`` },
    inputs === undefined
      ? { title: "Inputs", text: text("Parameters") }
      : { title: "Inputs", text: `\`${inputs.title}\`: ${withoutTitle(inputs.text, "Properties")}` },
    { title: "Outputs", text: text("Properties") },
    { title: "Returns", text: text("Returns") },
    { title: "Errors", text: text("Throws").replace(/^\s*(?=\S)/, "Throws ") },
    { title: "Methods", text: text("Methods").replaceAll(/^#(?=#{3,})/gm, "") },
    ...others.map((part) => ({ ...part, text: withoutTitle(part.text, "Properties") })),
    { title: "Signature", text: signature || split(text("Constructors")).signature },
  ];
  const sections = parts
    .filter((part) => part.text.trim() !== "")
    .map((part) => `## ${part.title}\n\n${part.text.trim()}`);
  return linked([`# ${name}`, description.trim(), ...sections].join("\n\n").concat("\n"), name);
}

/** Returns the text before the first heading, and the part below each heading. */
function partsOf(markdown: string, level: "##" | "###"): { before: string; parts: Part[] } {
  const [before = "", ...rest] = markdown.split(new RegExp(`^${level} `, "m"));
  return {
    before,
    parts: rest.map((part) => {
      const [title = "", ...lines] = part.split("\n");
      return { title, text: lines.join("\n") };
    }),
  };
}

/** Returns the signature (the first code block, with its parameters in one line), and the text around it. */
function split(text: string): { signature: string; description: string } {
  const block = /```ts\n[^`]*```\n/.exec(text)?.[0] ?? "";
  const signature = block
    .replaceAll(/\n {3}|, \n {3}/g, (gap) => (gap.startsWith(",") ? ", " : ""))
    .replace("\n)", ")");
  return { signature, description: text.replace(block, "") };
}

function withoutTitle(text: string, title: string): string {
  return text.replace(new RegExp(`^### ${title}\n\n`, "m"), "").trim();
}

/** Corrects the links to headings, because the headings of the page have changed. */
function linked(text: string, name: string): string {
  return text.replaceAll(
    /\[(`?)(\w+)\1\]\(#[\w-]+\)/g,
    (_, mark: string, target: string) => `[${mark}${target}${mark}](#${anchorOf(target, name)})`,
  );
}

function anchorOf(target: string, name: string): string {
  const anchor = target.toLowerCase();
  if (anchor === `${name}Args`.toLowerCase()) {
    return "inputs";
  }
  // If two headings differ only in case, the id of the second ends with `-1`. The first is the page's own heading.
  return target !== name && anchor === name.toLowerCase() ? `${anchor}-1` : anchor;
}
