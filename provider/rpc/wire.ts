/*
 * This file replaces a protobuf library. Such a library takes as long to load as Node.js takes to start, and a run
 * starts several provider processes.
 */

export const wireType = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;

export class ProtobufWriter {
  readonly #parts: Uint8Array[] = [];

  varint(value: number): this {
    const bytes: number[] = [];
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) {
      bytes.push((rest % 0x80) | 0x80);
    }
    this.#parts.push(Uint8Array.of(...bytes, rest));
    return this;
  }

  tag(number: number, type: number): this {
    return this.varint(number * 8 + type);
  }

  double(value: number): this {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleLE(value);
    this.#parts.push(bytes);
    return this;
  }

  bytes(value: Uint8Array): this {
    this.varint(value.length).#parts.push(value);
    return this;
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value));
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

export class ProtobufReader {
  readonly #buffer: Buffer;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#buffer.length;
  }

  /** Reads a whole number. A number above 2⁵³ is rounded. */
  varint(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#buffer.readUInt8(this.#position++);
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) {
        return value;
      }
    }
  }

  tag(): { number: number; type: number } {
    const key = this.varint();
    return { number: Math.floor(key / 8), type: key % 8 };
  }

  double(): number {
    const value = this.#buffer.readDoubleLE(this.#position);
    this.#position += 8;
    return value;
  }

  bytes(): Uint8Array {
    return this.#take(this.varint());
  }

  text(): string {
    return this.#take(this.varint()).toString();
  }

  skip(type: number): void {
    if (type === wireType.varint) {
      this.varint();
    } else if (type === wireType.fixed64) {
      this.#take(8);
    } else if (type === wireType.lengthDelimited) {
      this.bytes();
    } else if (type === wireType.fixed32) {
      this.#take(4);
    } else {
      throw new RangeError(`a message has a field of the unknown type ${type}`);
    }
  }

  #take(length: number): Buffer {
    const end = this.#position + length;
    if (end > this.#buffer.length) {
      throw new RangeError("a message ends in the middle of a field");
    }
    const taken = this.#buffer.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }
}
