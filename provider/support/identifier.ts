/** In characters. An id becomes part of paths, of the state and of messages. Real ids are much shorter. */
const longestIdentifier = 256;

export function identifierProblem(id: string): string | undefined {
  if (id.trim() === "") {
    return "must not be blank";
  }
  if (id.length > longestIdentifier) {
    return `must have at most ${longestIdentifier} characters`;
  }
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(id)) {
    return "must not contain control characters or other invisible characters";
  }
  if (/\p{Surrogate}/u.test(id)) {
    return "must not contain an incomplete character";
  }
  return id === "." || id === ".." ? `must not be "${id}", which is a step in a path and not an identifier` : undefined;
}
