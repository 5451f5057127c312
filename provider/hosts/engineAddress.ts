let attached: string | undefined;

/** For a provider process that was there before the engine, which then tells it its address. */
export function attachTo(address: string): void {
  attached = address;
}

/** The engine's address, which it gives to the provider process after any flags; undefined in any other process. */
export function engineAddress(): string | undefined {
  if (attached !== undefined) {
    return attached;
  }
  return process.argv
    .slice(2)
    .filter((argument) => /^[^-].*:\d+$/.test(argument))
    .at(-1);
}
