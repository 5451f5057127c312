/** No real id is this long. It becomes part of paths, of the state, and of every message about its job. Characters. */
const longestIdentifier = 256;

/** Why a text cannot be an identifier in a path; undefined where it can. */
export function identifierProblem(id: string): string | undefined {
  if (id.trim() === "") {
    return "must not be blank";
  }
  if (id.length > longestIdentifier) {
    return `must have at most ${longestIdentifier} characters`;
  }
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(id)) {
    return "must not hold control characters, nor others that are not seen";
  }
  if (/\p{Surrogate}/u.test(id)) {
    return "must not hold half of a character";
  }
  return id === "." || id === ".." ? `must not be "${id}", which is no identifier but a step in a path` : undefined;
}
