import { ProtobufReader, ProtobufWriter, wireType } from "./wire";

export interface ProtobufField<T> {
  write(writer: ProtobufWriter, value: T): void;
  /**
   * Reads one occurrence of this field. In a list, each item is one occurrence.
   * @param before the value from the earlier occurrences, to which a list adds its next item.
   */
  read(reader: ProtobufReader, before: T | undefined): T;
  readonly number: number;
}

type Fields = Record<string, ProtobufField<never>>;
type ValueOf<F> = F extends ProtobufField<infer T> ? T : never;

type MessageValue<F> = { [Name in keyof F]?: ValueOf<F[Name]> | undefined };

export interface MessageCodec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

export type DecodedMessage<M> = M extends MessageCodec<infer T> ? T : never;

const { varint, fixed64, lengthDelimited } = wireType;

function scalar<T>(type: number, form: "varint" | "double" | "bytes" | "text") {
  return (number: number): ProtobufField<T> => ({
    number,
    write: (writer, value) => writer.tag(number, type)[form](value as never),
    read: (reader) => reader[form]() as T,
  });
}

export const textField = scalar<string>(lengthDelimited, "text");
export const bytesField = scalar<Uint8Array>(lengthDelimited, "bytes");
/** A whole number that is not negative, or the number of an enum value. */
export const varintField = scalar<number>(varint, "varint");
export const doubleField = scalar<number>(fixed64, "double");

export function booleanField(number: number): ProtobufField<boolean> {
  const { write, read } = varintField(number);
  return {
    number,
    write: (writer, value) => write(writer, value ? 1 : 0),
    read: (reader) => read(reader, undefined) !== 0,
  };
}

export function messageField<T>(number: number, kind: MessageCodec<T>): ProtobufField<T> {
  return {
    number,
    write: (writer, value) => writer.tag(number, lengthDelimited).bytes(kind.encode(value)),
    read: (reader) => kind.decode(reader.bytes()),
  };
}

function repeated<T>({ number, write, read }: ProtobufField<T>): ProtobufField<T[]> {
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

export function repeatedText(number: number): ProtobufField<string[]> {
  return repeated(textField(number));
}

export function repeatedField<T>(number: number, kind: MessageCodec<T>): ProtobufField<T[]> {
  return repeated(messageField(number, kind));
}

/** A map whose keys are texts. In an encoded message, a map is a list of pairs. */
export function mapField<T>(number: number, kind: MessageCodec<T>): ProtobufField<Record<string, T>> {
  const { write, read } = repeatedField(number, defineMessage({ name: textField(1), value: messageField(2, kind) }));
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

export function defineMessage<F extends { [Name in keyof F]: ProtobufField<ValueOf<F[Name]>> }>(
  fields: F,
): MessageCodec<MessageValue<F>> {
  const named = Object.entries(fields as unknown as Fields) as [string, ProtobufField<unknown>][];
  const byNumber = new Map(named.map(([name, field]) => [field.number, { name, field }]));
  return {
    encode(value) {
      const writer = new ProtobufWriter();
      for (const [name, field] of named) {
        const item = value[name as keyof F];
        if (item !== undefined) {
          field.write(writer, item);
        }
      }
      return writer.finish();
    },
    decode(encoded) {
      const reader = new ProtobufReader(encoded);
      const value: Record<string, unknown> = {};
      while (!reader.isAtEnd) {
        const { number, type } = reader.tag();
        const found = byNumber.get(number);
        if (found === undefined) {
          // A later version of the protocol may have fields that this version does not know.
          reader.skip(type);
        } else {
          value[found.name] = found.field.read(reader, value[found.name]);
        }
      }
      return value as MessageValue<F>;
    },
  };
}
