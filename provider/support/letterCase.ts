/** `expectedSha256` as Terraform writes it; `StaticExport` begins with a low line. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
