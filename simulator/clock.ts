/** The platform's clock: this machine's, shifted by an offset. */
export class PlatformClock {
  /** @param offset the platform's time minus this machine's, in milliseconds; may be negative, and may be changed */
  constructor(public offset: number) {}

  /** The platform's time, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.offset;
  }

  /** The platform's time as the value of a `Date` header. */
  httpDate(): string {
    return new Date(this.now()).toUTCString();
  }
}
