/** Why a text cannot be an identifier in a path, or undefined where it can. */
export function identifierProblem(id: string): string | undefined {
  if (id.trim() === "") {
    return "must not be blank";
  }
  if (/\p{Surrogate}/u.test(id)) {
    return "must not hold half of a character";
  }
  return id === "." || id === ".." ? `must not be "${id}", which is no identifier but a step in a path` : undefined;
}
