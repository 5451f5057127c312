import type { MessageCodec } from "./protobuf";
import type { MethodTable } from "./rpcServer";

type Messages = Readonly<Record<string, { request: MessageCodec<object>; response: MessageCodec<object> }>>;

/** Each method decodes its request, and encodes the answer. */
export function makeMethodTable<Known extends Messages>(
  service: string,
  messages: Known,
  answer: (name: keyof Known & string, request: object) => Promise<object> | object,
): MethodTable {
  return new Map(
    Object.entries(messages).map(([name, { request, response }]) => [
      `/${service}/${name}`,
      async (message) => response.encode(await answer(name, request.decode(message))),
    ]),
  );
}
