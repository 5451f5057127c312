import { join } from "node:path";
import ts from "typescript";
import { projectRoot } from "../../tools/projectRoot";

/** A module that is not on disk: it stands at the project's root. */
export interface PageModule {
  /** Where the text comes from. */
  place: string;
  text: string;
}

const { config } = ts.readConfigFile(join(projectRoot, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, projectRoot);
/** What a program has read is there for the next one: the types of a package are most of the work. */
const onDisk = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says of modules, with the place of each. */
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
