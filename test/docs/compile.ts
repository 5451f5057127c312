import { join } from "node:path";
import ts from "typescript";
import { projectRoot } from "../../tools/projectRoot";

/** A module that is not on disk. It counts as a file at the project's root. */
export interface PageModule {
  /** The page that the text comes from. */
  place: string;
  text: string;
}

const { config } = ts.readConfigFile(join(projectRoot, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, projectRoot);
/** Keeps parsed files for the next program. Most of the work is the types of a package. */
const onDisk = new Map<string, ts.SourceFile | undefined>();

/** Returns the compiler's messages about modules, with the place of each. */
export function compile(sources: readonly PageModule[]): string[] {
  const files = new Map(sources.map((source, index) => [join(projectRoot, `source${index}.ts`), source]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, version, ...rest) => {
    const source = files.get(name);
    if (source !== undefined) {
      return ts.createSourceFile(name, source.text, version, true);
    }
    if (!onDisk.has(name)) {
      onDisk.set(name, getSourceFile(name, version, ...rest));
    }
    return onDisk.get(name);
  };
  const problems = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host));
  return problems.map(
    ({ file, messageText }) =>
      `${files.get(file?.fileName ?? "")?.place}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
}
