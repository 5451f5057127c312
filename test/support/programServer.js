// Runs the programs of stacks, one after another, for `pulumi up --client`. So a run starts neither a language host nor
// a Node.js process. Only the SDK stays loaded between runs.
const { readFileSync } = require("node:fs");
const { Server, ServerCredentials } = require("@grpc/grpc-js");
const { LanguageServer } = require("@pulumi/pulumi/automation/server");
const { LanguageRuntimeService } = require("@pulumi/pulumi/proto/language_grpc_pb");
const { transformSync } = require("esbuild");

require.extensions[".ts"] = (module, file) => {
  const { code } = transformSync(readFileSync(file, "utf8"), { loader: "ts", format: "cjs" });
  module._compile(code, file);
};

const kept = new Set(Object.keys(require.cache));

async function runProgram() {
  for (const file of Object.keys(require.cache).filter((name) => !kept.has(name))) {
    delete require.cache[file];
  }
  return require(process.cwd());
}

process.on("message", ({ folder, environment }) => {
  process.chdir(folder);
  for (const name of Object.keys(process.env)) {
    delete process.env[name];
  }
  Object.assign(process.env, environment);
  process.send("ready");
});
process.once("disconnect", () => process.exit());

const server = new Server();
server.addService(LanguageRuntimeService, new LanguageServer(runProgram));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => process.send({ port }));
