/** The engine's address, which it gives to the provider process after any flags; undefined in any other process. */
export function engineAddress(): string | undefined {
  return process.argv
    .slice(2)
    .filter((argument) => /^[^-].*:\d+$/.test(argument))
    .at(-1);
}
