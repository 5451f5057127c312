/*
 * Reads and writes protocol buffers. The libraries for this take as long to load as Node.js takes to start, and a
 * provider process starts several times in a run.
 */

/** The wire types: each says in which form a field's value is written. */
export const wireType = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;

/** Makes the bytes of a message, field by field. */
export class Writer {
  #buffer = Buffer.allocUnsafe(512);
  #length = 0;

  /** @param value a whole number from 0 up. */
  varint(value: number): this {
    this.#reserve(10);
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) {
      this.#buffer[this.#length++] = (rest % 0x80) | 0x80;
    }
    this.#buffer[this.#length++] = rest;
    return this;
  }

  /** Begins a field. */
  tag(number: number, type: number): this {
    return this.varint(number * 8 + type);
  }

  double(value: number): this {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
    return this;
  }

  bytes(value: Uint8Array): this {
    this.varint(value.length).#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  text(value: string): this {
    const length = Buffer.byteLength(value);
    this.varint(length).#reserve(length);
    this.#length += this.#buffer.write(value, this.#length);
    return this;
  }

  /** Writes content with its length before it. The content is written first, and moved when its length is known. */
  within(write: () => void): this {
    const start = this.#length;
    write();
    const end = this.#length;
    this.varint(end - start);
    const width = this.#length - end;
    const length = Buffer.from(this.#buffer.subarray(end, this.#length));
    this.#buffer.copyWithin(start + width, start, end);
    this.#buffer.set(length, start);
    return this;
  }

  finish(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
  }
}

/** Reads the bytes of a message, field by field. */
export class Reader {
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

  /** Reads the number and the type of the next field. */
  tag(): { number: number; type: number } {
    const key = this.varint();
    return { number: Math.floor(key / 8), type: key % 8 };
  }

  double(): number {
    const value = this.#buffer.readDoubleLE(this.#position);
    this.#position += 8;
    return value;
  }

  /** Reads bytes that follow their length. The bytes stay in the buffer of the whole message. */
  bytes(): Uint8Array {
    return this.#take(this.varint());
  }

  text(): string {
    return this.#take(this.varint()).toString();
  }

  /** Skips a field that is not known. */
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
