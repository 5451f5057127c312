import { Server, ServerCredentials, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { nameHost } from "../../network/userAgent";
import { exitWithEngine } from "../pulumi/exitWithEngine";
import { processSession } from "../pulumi/session";
import { createService } from "./service";

/** As much as the engine itself takes and sends, in bytes. */
const largestMessage = 400 * 1024 * 1024;

/** Serves the provider on a free port of this machine, and tells the engine the port: the first line of its output. */
function main(): void {
  nameHost("plugin");
  const server = new Server({
    "grpc.max_receive_message_length": largestMessage,
    "grpc.max_send_message_length": largestMessage,
  });
  server.addService(ResourceProviderService, createService(processSession) as UntypedServiceImplementation);
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error) {
      throw error;
    }
    exitWithEngine(processSession);
    console.log(port);
  });
}

main();
