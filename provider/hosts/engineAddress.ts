let attached: string | undefined;

/** For a provider process that was there before the engine, which then tells it its address. */
export function attachTo(address: string): void {
  attached = address;
}

/** The engine's address, which it gives to the provider process; undefined in any other process. */
export function engineAddress(): string | undefined {
  return startedBy() ?? attached;
}

/** The address of the engine that has started this process, which stands after any flags. */
export function startedBy(): string | undefined {
  return process.argv
    .slice(2)
    .filter((argument) => /^[^-].*:\d+$/.test(argument))
    .at(-1);
}
