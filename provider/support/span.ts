export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Span {
  set(attributes: SpanAttributes): void;
  event(name: string, attributes: SpanAttributes): void;
}

export type RunSpan = <T>(name: string, attributes: SpanAttributes, work: (span: Span) => Promise<T>) => Promise<T>;

const noSpan: Span = { set() {}, event() {} };

export const untraced: RunSpan = (_name, _attributes, work) => work(noSpan);
