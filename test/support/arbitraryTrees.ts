import fc from "fast-check";

const kinds = ["component", "export", "found", "bundle", "message", "foreign"] as const;
type Kind = (typeof kinds)[number];

/** A resource of a random program, with its options. It refers to other resources by their names. */
export interface Tree {
  kind: Kind;
  name: string;
  args: Readonly<Record<string, unknown>>;
  /** The name of the export whose job this resource uses. */
  from?: string | undefined;
  /** The id of an existing object. The program looks up this object, and creates nothing. */
  id?: string | undefined;
  dependsOn: readonly string[];
  /** The name of another resource. A transform adds that name to `dependsOn` of this resource and of its children. */
  addedByTransform?: string | undefined;
  transform: "transforms" | "transformations";
  /** The alias of the resource: an earlier name, or `root` if the resource had no parent earlier. */
  alias?: string | undefined;
  hasProvider: boolean;
  children: readonly Tree[];
}

interface Shape {
  kind: Kind;
  /** Each number is an index (modulo the length) in the list of resources on which this resource may depend. */
  dependsOn: readonly number[];
  from: number;
  added: number | null;
  transform: Tree["transform"];
  alias: "name" | "root" | null;
  hasProvider: boolean;
  children: readonly Shape[];
}

const kind = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Kind>("component") },
  { weight: 7, arbitrary: fc.constantFrom(...kinds) },
);

/** @param depth the number of generations below this resource. */
const shape = (depth: number): fc.Arbitrary<Shape> =>
  fc.record({
    kind,
    dependsOn: fc.array(fc.nat(99), { maxLength: 2 }),
    from: fc.nat(99),
    added: fc.option(fc.nat(99), { freq: 3 }),
    transform: fc.constantFrom("transforms", "transformations"),
    alias: fc.option(fc.constantFrom("name", "root"), { freq: 2 }),
    hasProvider: fc.boolean(),
    children: depth === 0 ? fc.constant([]) : fc.array(shape(depth - 1), { maxLength: 3 }),
  });

/** Generates random trees. A resource depends on earlier resources. A dependency on a parent would be a cycle. */
export function arbitraryTrees(foundJob: string, message: Readonly<Record<string, unknown>>): fc.Arbitrary<Tree[]> {
  return fc.array(shape(2), { minLength: 4, maxLength: 6 }).map((shapes) => {
    const earlier: Tree[] = [];
    let count = 0;

    function name(shape: Shape, parents: readonly string[]): Tree {
      const others = earlier.map((tree) => tree.name).filter((other) => !parents.includes(other));
      const exports = earlier.filter(({ kind }) => kind === "export").map((tree) => tree.name);
      const pick = (names: readonly string[], index: number) => names[index % names.length];
      const from = shape.kind === "bundle" ? pick(exports, shape.from) : undefined;
      // A bundle without an earlier export becomes an export, because a bundle needs a job.
      const kind = shape.kind === "bundle" && from === undefined ? "export" : shape.kind;
      const own = `r${count++}`;
      const domain = { domain: `${own}.example.com` };
      const children: Tree[] = [];
      const tree: Tree = {
        kind,
        name: own,
        args: kind === "export" ? domain : kind === "message" ? message : {},
        ...(from !== undefined && { from }),
        ...(kind === "found" && { id: foundJob }),
        dependsOn: [...new Set(shape.dependsOn.flatMap((index) => pick(others, index) ?? []))],
        ...(shape.added !== null && { addedByTransform: pick(others, shape.added) }),
        transform: shape.transform,
        alias: shape.alias === "name" ? `old-${own}` : parents.length > 0 ? (shape.alias ?? undefined) : undefined,
        hasProvider: shape.hasProvider,
        children,
      };
      earlier.push(tree);
      children.push(...shape.children.map((child) => name(child, [...parents, own])));
      return tree;
    }

    return shapes.map((one) => name(one, []));
  });
}
