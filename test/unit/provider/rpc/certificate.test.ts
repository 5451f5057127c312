import { X509Certificate } from "node:crypto";
import { connect } from "node:http2";
import { describe, expect, it } from "vitest";
import { makeCertificate } from "../../../../provider/rpc/certificate";
import { serveRpc } from "../../../../provider/rpc/rpcServer";

describe("the certificate of a provider process", () => {
  it("is good, whatever random number, key and signature it is made of: two hundred of them", () => {
    for (let count = 0; count < 200; count++) {
      const { cert, der } = makeCertificate();
      const read = new X509Certificate(cert);
      expect(read.raw.equals(der)).toBe(true);
      expect(read.verify(read.publicKey)).toBe(true);
      expect(read.checkHost("localhost")).toBe("localhost");
      expect(read.checkIssued(read)).toBe(true);
      expect([read.validFrom, read.validTo]).toEqual(["Jan  1 00:00:00 2000 GMT", "Dec 31 23:59:59 9999 GMT"]);
      expect(cert).not.toMatch(/\n\n/);
    }
  });

  it("serves and is trusted, and a client that shows none, or another one, is refused", async () => {
    const [client, stranger] = [makeCertificate(), makeCertificate()];
    const methods = new Map([["/served", () => Buffer.from("served")]]);
    const listen = { host: "127.0.0.1", port: 0 };
    const { port, certificate = Buffer.of(), close } = await serveRpc(() => methods, client.cert, listen);
    const ca = new X509Certificate(certificate).toString();
    const answer = (shown: { key?: string; cert?: string }) =>
      new Promise<string>((resolve) => {
        const session = connect(`https://127.0.0.1:${port}`, { servername: "localhost", ca, ...shown });
        session.on("error", () => resolve("refused"));
        session.on("close", () => resolve("refused"));
        const request = session.request({ ":method": "POST", ":path": "/served" });
        request.on("error", () => resolve("refused"));
        request.on("data", (data: Buffer) => {
          resolve(data.subarray(5).toString());
          session.destroy();
        });
        request.end(Buffer.alloc(5));
      });
    expect(await answer({ key: client.key, cert: client.cert })).toBe("served");
    expect(await answer({ key: stranger.key, cert: stranger.cert })).toBe("refused");
    expect(await answer({ key: stranger.key, cert: client.cert }).catch(() => "refused")).toBe("refused");
    expect(await answer({})).toBe("refused");
    close();
  });
});
