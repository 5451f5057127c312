import { Reader, Writer, wireType } from "./wire";

/** One field of a message, and its form on the wire. */
export interface MessageField<T> {
  write(writer: Writer, value: T): void;
  /** @param before the value that this field has so far: a list repeats its field. */
  read(reader: Reader, before: T | undefined): T;
  readonly number: number;
}

type Fields = Record<string, MessageField<never>>;
type ValueOf<F> = F extends MessageField<infer T> ? T : never;

/** The fields of a message. Each may be missing. */
export type MessageValue<F> = { [Name in keyof F]?: ValueOf<F[Name]> | undefined };

/** A message type. */
export interface Message<T> {
  encode(value: T): Uint8Array;
  /** Writes the message as a part of a larger one. */
  write(writer: Writer, value: T): void;
  decode(bytes: Uint8Array): T;
}

const { varint, fixed64, lengthDelimited } = wireType;

function scalar<T>(
  number: number,
  type: number,
  write: (writer: Writer, value: T) => void,
  read: (reader: Reader) => T,
): MessageField<T> {
  return { number, write: (writer, value) => write(writer.tag(number, type), value), read };
}

export function text(number: number): MessageField<string> {
  return scalar(
    number,
    lengthDelimited,
    (writer, value) => writer.text(value),
    (reader) => reader.text(),
  );
}

export function bytes(number: number): MessageField<Uint8Array> {
  return scalar(
    number,
    lengthDelimited,
    (writer, value) => writer.bytes(value),
    (reader) => reader.bytes(),
  );
}

export function flag(number: number): MessageField<boolean> {
  return scalar(
    number,
    varint,
    (writer, value) => writer.varint(value ? 1 : 0),
    (reader) => reader.varint() !== 0,
  );
}

/** A whole number from 0 up, or a choice. */
export function whole(number: number): MessageField<number> {
  return scalar(
    number,
    varint,
    (writer, value) => writer.varint(value),
    (reader) => reader.varint(),
  );
}

export function double(number: number): MessageField<number> {
  return scalar(
    number,
    fixed64,
    (writer, value) => writer.double(value),
    (reader) => reader.double(),
  );
}

export function one<T>(number: number, kind: Message<T>): MessageField<T> {
  return {
    number,
    write: (writer, value) => writer.tag(number, lengthDelimited).within(() => kind.write(writer, value)),
    read: (reader) => kind.decode(reader.bytes()),
  };
}

/** A list, which repeats the field of its items. */
function repeated<T>({ number, write, read }: MessageField<T>): MessageField<T[]> {
  return {
    number,
    write: (writer, values) => {
      for (const value of values) {
        write(writer, value);
      }
    },
    read: (reader, before = []) => [...before, read(reader, undefined)],
  };
}

export function texts(number: number): MessageField<string[]> {
  return repeated(text(number));
}

export function many<T>(number: number, kind: Message<T>): MessageField<T[]> {
  return repeated(one(number, kind));
}

/** A map from names, which is a list of pairs on the wire. */
export function byName<T>(number: number, kind: Message<T>): MessageField<Record<string, T>> {
  const { write, read } = many(number, message({ name: text(1), value: one(2, kind) }));
  return {
    number,
    write: (writer, values) =>
      write(
        writer,
        Object.entries(values).map(([name, value]) => ({ name, value })),
      ),
    read: (reader, before = {}) => {
      const [{ name = "", value } = {}] = read(reader, undefined);
      return { ...before, [name]: value as T };
    },
  };
}

export function message<F extends { [Name in keyof F]: MessageField<ValueOf<F[Name]>> }>(
  fields: F,
): Message<MessageValue<F>> {
  const named = Object.entries(fields as unknown as Fields) as [string, MessageField<unknown>][];
  const byNumber = new Map(named.map(([name, field]) => [field.number, { name, field }]));
  const write = (writer: Writer, value: MessageValue<F>) => {
    for (const [name, field] of named) {
      const item = value[name as keyof F];
      if (item !== undefined) {
        field.write(writer, item);
      }
    }
  };
  return {
    write,
    encode(value) {
      const writer = new Writer();
      write(writer, value);
      return writer.finish();
    },
    decode(encoded) {
      const reader = new Reader(encoded);
      const value: Record<string, unknown> = {};
      while (!reader.isAtEnd) {
        const { number, type } = reader.tag();
        const found = byNumber.get(number);
        if (found === undefined) {
          // A later minor version of the protocol may have fields that this version does not know.
          reader.skip(type);
        } else {
          value[found.name] = found.field.read(reader, value[found.name]);
        }
      }
      return value as MessageValue<F>;
    },
  };
}
