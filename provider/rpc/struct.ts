import type { MessageField } from "./protobuf";
import { Reader, type Writer, wireType } from "./wire";

/** The field numbers of a `google.protobuf.Value`, by the kind of the value. */
const kind = { null: 1, number: 2, text: 3, flag: 4, object: 5, list: 6 } as const;
/** The field number of each item of an object or a list. In an object, an item is a pair of a name and a value. */
const item = 1;
const pair = { name: 1, value: 2 } as const;

const { varint, fixed64, lengthDelimited } = wireType;

/** A `google.protobuf.Struct`: an object of JSON values. A member that is undefined is left out. */
export function struct(number: number): MessageField<Record<string, unknown>> {
  return {
    number,
    write: (writer, value) => writeWithin(writer, number, () => writeMembers(writer, value)),
    read: (reader) => readMembers(reader.bytes()),
  };
}

function writeWithin(writer: Writer, number: number, write: () => void): void {
  writer.tag(number, lengthDelimited).within(write);
}

function writeMembers(writer: Writer, members: object): void {
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) {
      writeWithin(writer, item, () => {
        writer.tag(pair.name, lengthDelimited).text(name);
        writeWithin(writer, pair.value, () => writeValue(writer, value));
      });
    }
  }
}

function writeValue(writer: Writer, value: unknown): void {
  if (value === null) {
    writer.tag(kind.null, varint).varint(0);
  } else if (typeof value === "number") {
    writer.tag(kind.number, fixed64).double(value);
  } else if (typeof value === "string") {
    writer.tag(kind.text, lengthDelimited).text(value);
  } else if (typeof value === "boolean") {
    writer.tag(kind.flag, varint).varint(value ? 1 : 0);
  } else if (Array.isArray(value)) {
    writeWithin(writer, kind.list, () => {
      for (const each of value) {
        writeWithin(writer, item, () => writeValue(writer, each));
      }
    });
  } else if (typeof value === "object") {
    writeWithin(writer, kind.object, () => writeMembers(writer, value));
  } else {
    throw new TypeError(`a ${typeof value} is not a JSON value`);
  }
}

function readFields(bytes: Uint8Array, read: (number: number, reader: Reader, type: number) => void): void {
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const { number, type } = reader.tag();
    read(number, reader, type);
  }
}

function readMembers(bytes: Uint8Array): Record<string, unknown> {
  const members: [string, unknown][] = [];
  readFields(bytes, (_, list) => {
    let [name, value]: [string, unknown] = ["", null];
    readFields(list.bytes(), (number, reader) => {
      if (number === pair.name) {
        name = reader.text();
      } else {
        value = readValue(reader.bytes());
      }
    });
    members.push([name, value]);
  });
  return Object.fromEntries(members);
}

function readValue(bytes: Uint8Array): unknown {
  let value: unknown = null;
  readFields(bytes, (number, reader, type) => {
    if (number === kind.number) {
      value = reader.double();
    } else if (number === kind.text) {
      value = reader.text();
    } else if (number === kind.flag) {
      value = reader.varint() !== 0;
    } else if (number === kind.object) {
      value = readMembers(reader.bytes());
    } else if (number === kind.list) {
      value = readList(reader.bytes());
    } else {
      reader.skip(type);
    }
  });
  return value;
}

function readList(bytes: Uint8Array): unknown[] {
  const items: unknown[] = [];
  readFields(bytes, (_, reader) => items.push(readValue(reader.bytes())));
  return items;
}
