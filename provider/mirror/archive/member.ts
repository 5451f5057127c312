/** One entry as the archive's format describes it. Links and devices have already been refused. */
export interface Member {
  /** The name as written in the archive. */
  name: string;
  kind: "file" | "folder";
  sizeBytes: number;
  /** The file's bytes. Call it at most once, before you ask for the next member. */
  content(): AsyncGenerator<Buffer>;
}
