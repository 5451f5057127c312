import {
  booleanField,
  defineMessage,
  doubleField,
  type MessageCodec,
  mapField,
  messageField,
  type ProtobufField,
  repeatedField,
  textField,
  varintField,
} from "./protobuf";

/** A `google.protobuf.Value`: only one of the fields is set. */
interface Kinds {
  none?: number | undefined;
  number?: number | undefined;
  text?: string | undefined;
  flag?: boolean | undefined;
  object?: Members | undefined;
  list?: { items?: Kinds[] | undefined } | undefined;
}
interface Members {
  fields?: Record<string, Kinds> | undefined;
}

const value: MessageCodec<Kinds> = {
  encode: (kinds) => anyKind.encode(kinds),
  decode: (bytes) => anyKind.decode(bytes),
};
const members: MessageCodec<Members> = defineMessage({ fields: mapField(1, value) });
const anyKind: MessageCodec<Kinds> = defineMessage({
  none: varintField(1),
  number: doubleField(2),
  text: textField(3),
  flag: booleanField(4),
  object: messageField(5, members),
  list: messageField(6, defineMessage({ items: repeatedField(1, value) })),
});

/** A `google.protobuf.Struct`: an object of JSON values. A member that is undefined is left out. */
export function structField(number: number): ProtobufField<Record<string, unknown>> {
  const { write, read } = messageField(number, members);
  return {
    number,
    write: (writer, object) => write(writer, toMembers(object)),
    read: (reader) => fromMembers(read(reader, undefined)),
  };
}

function toMembers(object: object): Members {
  const given = Object.entries(object).filter(([, item]) => item !== undefined);
  return { fields: Object.fromEntries(given.map(([name, item]) => [name, toKinds(item)])) };
}

function toKinds(item: unknown): Kinds {
  switch (typeof item) {
    case "number":
      return { number: item };
    case "string":
      return { text: item };
    case "boolean":
      return { flag: item };
    case "object":
      return item === null
        ? { none: 0 }
        : Array.isArray(item)
          ? { list: { items: item.map(toKinds) } }
          : { object: toMembers(item) };
    default:
      throw new TypeError(`a ${typeof item} is not a JSON value`);
  }
}

function fromMembers({ fields = {} }: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, item]) => [name, fromKinds(item)]));
}

function fromKinds({ number, text, flag, object, list }: Kinds = {}): unknown {
  return number ?? text ?? flag ?? (object && fromMembers(object)) ?? (list ? (list.items ?? []).map(fromKinds) : null);
}
