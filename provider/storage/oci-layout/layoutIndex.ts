import { DestinationError } from "../../support/errors";
import { parseJsonObject } from "../../support/parseJsonObject";
import { words } from "../../support/words";
import { imageIndexMediaType, type OciDescriptor } from "../imageStore";

/** An index entry with its exact text, because the entries of other programs must not change by a single byte. */
export interface LayoutIndexEntry {
  text: string;
  descriptor: Partial<OciDescriptor> & { digest: string };
}

/** Marks an index that this provider has created. Such an index is removed together with its last entry. */
const madeHere = "pulumi-docs-platform.mirror";

/** The `index.json` of an image layout. A change of an entry leaves all other text unchanged. */
export class LayoutIndex {
  private constructor(
    private readonly fields: readonly string[],
    readonly entries: readonly LayoutIndexEntry[],
  ) {}

  static empty(): LayoutIndex {
    const made = {
      schemaVersion: 2,
      mediaType: imageIndexMediaType,
      annotations: { [madeHere]: "made" },
      manifests: [],
    };
    return new LayoutIndex(membersOf(JSON.stringify(made)), []);
  }

  /** @returns undefined if the text has anything that this class does not understand. */
  static parse(text: string): LayoutIndex | undefined {
    const { schemaVersion, manifests } = parseJsonObject(text) ?? {};
    const fields = membersOf(text);
    const lists = fields.filter(isList);
    if (schemaVersion !== 2 || !Array.isArray(manifests) || lists.length !== 1) {
      return undefined;
    }
    const texts = membersOf(withoutKey(lists[0] ?? ""));
    const entries = manifests.map((descriptor, index) => ({ text: texts[index] ?? "", descriptor }));
    return entries.every(({ descriptor }) => typeof descriptor?.digest === "string")
      ? new LayoutIndex(fields, entries)
      : undefined;
  }

  with(entries: readonly LayoutIndexEntry[]): LayoutIndex {
    return new LayoutIndex(this.fields, entries);
  }

  /** True if this provider created the index, and the index has no entries. */
  get isRemovable(): boolean {
    const annotations = Object(parseJsonObject(this.text)?.annotations);
    return this.entries.length === 0 && Object.hasOwn(annotations, madeHere);
  }

  get text(): string {
    const list = `"manifests":[${this.entries.map(({ text }) => text).join(",")}]`;
    return `{${this.fields.map((field) => (isList(field) ? list : field)).join(",")}}`;
  }
}

export function createLayoutEntry(descriptor: OciDescriptor): LayoutIndexEntry {
  return { text: JSON.stringify(descriptor), descriptor };
}

export function unsupportedLayoutError(folder: string, name: string): DestinationError {
  return new DestinationError({
    happened: `the folder ${folder} has a file ${name} that is not the one of an image layout that this provider understands; nothing was changed there`,
    remedy: `give an empty folder, or repair the layout; then run \`${words.run}\` again.`,
  });
}

function isList(field: string): boolean {
  return JSON.parse(stringAtStart.exec(field)?.[0] ?? '""') === "manifests";
}

function withoutKey(field: string): string {
  return field.replace(stringAtStart, "").replace(/^\s*:/, "");
}

const string = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const stringAtStart = new RegExp(`^${string}`);
const token = new RegExp(String.raw`${string}|[[\]{},]|[^"[\]{},]+`, "g");

/** Splits a valid JSON object or array at the commas between its members, and returns the text of each member. */
function membersOf(json: string): string[] {
  const members: string[] = [];
  let member = "";
  let depth = 0;
  for (const [part] of json.matchAll(token)) {
    depth -= part === "]" || part === "}" ? 1 : 0;
    const ends = depth === 0 || (depth === 1 && part === ",");
    if (ends && member.trim() !== "") {
      members.push(member.trim());
    }
    member = ends ? "" : member + part;
    depth += part === "[" || part === "{" ? 1 : 0;
  }
  return members;
}
