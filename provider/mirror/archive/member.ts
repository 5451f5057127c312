/** One entry of an archive as its format has it, with links and devices already refused. */
export interface Member {
  /** The name as it stands in the archive. */
  name: string;
  kind: "file" | "folder";
  sizeBytes: number;
  /** The file's bytes; called at most once, and before the next member is asked for. */
  content(): AsyncGenerator<Buffer>;
}
