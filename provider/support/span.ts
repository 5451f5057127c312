/** What is told of a span. What is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work of a run, as a trace shows it. */
export interface Span {
  /** Tells more of it. */
  set(attributes: Attributes): void;
  /** Something that happened at this moment. */
  event(name: string, attributes: Attributes): void;
}

/** Does a piece of work as a span, which is below the one that is at work around it. It fails as the work fails. */
export type RunSpan = <T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>) => Promise<T>;

const noSpan: Span = { set() {}, event() {} };

/** Where nothing is traced. */
export const untraced: RunSpan = (_name, _attributes, work) => work(noSpan);
