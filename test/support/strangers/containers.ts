import type { Random } from "../random";
import type { StoreAnswer, StoreRequest } from "./storeFront";
import {
  busyFamily,
  drawForeignBody,
  foreignErrorFamily,
  objectActOf,
  refusalsOf,
  type StoreAct,
  type StoreFamilies,
} from "./stores";

/* Several kinds of Azure storage accounts give these answers. Azure's emulator does not give them. */

const actOf = objectActOf((url) => url.includes("comp=list"));

/** @param where the parts of the answer that contain the error's code. */
function errorOf(status: number, code: string, where: "header" | "body" | "both" = "both", more = ""): StoreAnswer {
  const body = `\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${code}\nRequestId:1\nTime:2026</Message>${more}</Error>`;
  return {
    status,
    headers: { "content-type": "application/xml", ...(where !== "body" && { "x-ms-error-code": code }) },
    body: where === "header" ? "" : body,
  };
}

const refusing = refusalsOf(actOf);

const writtenIn = ({ body }: StoreAnswer) => String(body).match(/<Blob>.*?<\/Blob>/gs) ?? [];

function listing(blobs: readonly string[], next = ""): StoreAnswer {
  const marker = next === "" ? "<NextMarker />" : `<NextMarker>${next}</NextMarker>`;
  const body = `\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://x/" ContainerName="c"><Blobs>${blobs.join("")}</Blobs>${marker}</EnumerationResults>`;
  return { status: 200, headers: { "content-type": "application/xml" }, body };
}

const listed = (change: (blobs: string[]) => Partial<StoreAnswer>) => ({
  answer: (usual: StoreAnswer, request: StoreRequest) =>
    actOf(request) === "list" && usual.status === 200 ? change(writtenIn(usual)) : {},
});

/** Makes a behaviour: a listing comes in small pages. One page may be empty, because Azure also sends empty pages. */
function pagesOf(random: Random) {
  const size = random.whole(1, 3);
  const gap = random.whole(0, 4);
  let all: string[] = [];
  const pageAt = (step: number) => {
    const at = step > gap ? step - 1 : step;
    const isLast = (step < gap ? step + 1 : step) * size >= all.length && step >= gap;
    return listing(step === gap ? [] : all.slice(at * size, (at + 1) * size), isLast ? "" : `2!${step + 1}!=`);
  };
  return {
    request: ({ url }: StoreRequest) => {
      const marker = new URL(url, "http://x").searchParams.get("marker");
      return marker === null || marker === "" ? undefined : pageAt(Number(marker.split("!")[1]));
    },
    answer: (usual: StoreAnswer, request: StoreRequest) => {
      if (actOf(request) !== "list" || usual.status !== 200) {
        return {};
      }
      all = writtenIn(usual);
      return pageAt(0);
    },
  };
}

const marks = [
  "<ResourceType>directory</ResourceType>",
  "<hdi_isfolder>true</hdi_isfolder>",
  "<Hdi_isfolder>true</Hdi_isfolder>",
] as const;

/** Adds the folders of the blobs to a listing, as an account with a hierarchical namespace does. */
function withFolders(blobs: readonly string[], mark: (typeof marks)[number]): string[] {
  const names = blobs.map((blob) => /<Name>(.*?)<\/Name>/.exec(blob)?.[1] ?? "");
  const folders = new Set(
    names.flatMap((name) =>
      name
        .split("/")
        .slice(0, -1)
        .map((_, at, parts) => parts.slice(0, at + 1).join("/")),
    ),
  );
  const isMetadata = mark.includes("hdi") || mark.includes("Hdi");
  const written = [...folders].map(
    (name) =>
      `<Blob><Name>${name}</Name><Properties><Etag>0x8</Etag><Content-Length>0</Content-Length><BlobType>BlockBlob</BlobType>${isMetadata ? "" : mark}</Properties>${isMetadata ? `<Metadata>${mark}</Metadata>` : "<Metadata />"}</Blob>`,
  );
  return [...written, ...blobs].sort();
}

export const containerFamilies: StoreFamilies = {
  "account with a hierarchical namespace": ({ random }) => {
    const mark = random.pick(marks);
    return { text: mark, habit: listed((blobs) => listing(withFolders(blobs, mark))), ends: "well", layout: "site" };
  },
  "listing in small pages": ({ random }) => ({
    text: "markers of its own",
    habit: pagesOf(random),
    ends: "well",
    layout: "site",
  }),
  "page instead of a listing": ({ random }) => {
    const foreign = drawForeignBody(random);
    return { text: String(foreign.body).slice(0, 40), habit: listed(() => foreign), ends: "refused", layout: "site" };
  },
  "listing of an earlier time": () => {
    let earlier: string[] | undefined;
    return {
      text: "of the first request",
      habit: listed((blobs) => {
        earlier ??= blobs;
        return listing(earlier);
      }),
      ends: "either",
      layout: "site",
    };
  },
  "access that an account refuses": ({ random, secrets }) => {
    const [status, code, says] = random.pick<readonly [number, string, RegExp]>([
      [403, "KeyBasedAuthenticationNotPermitted", /user delegation SAS/],
      [403, "AuthenticationFailed", /AZURE_STORAGE/],
      [403, "AuthorizationFailure", /AZURE_STORAGE/],
      [403, "AuthorizationPermissionMismatch", /racwdl/],
      [403, "AuthorizationSourceIPMismatch", /./],
      [403, "InsufficientAccountPermissions", /./],
      [401, "NoAuthenticationInformation", /AZURE_STORAGE/],
      [403, "AccountIsDisabled", /enable the storage account/],
      [409, "PublicAccessNotPermitted", /./],
      [400, "InvalidHeaderValue", /./],
      [400, "AccountRequiresHttps", /./],
      [409, "ContainerBeingDeleted", /create it again/],
    ]);
    const detail = `<AuthenticationErrorDetail>Server used following string to sign: ${secrets.join()}</AuthenticationErrorDetail>`;
    const where = random.pick(["header", "body", "both"] as const);
    return {
      text: `${status} ${code} in ${where}`,
      habit: refusing(errorOf(status, code, where, detail)),
      ends: "refused",
      says,
    };
  },
  "blobs that are locked": ({ random }) => {
    const [status, code, act, says] = random.pick<readonly [number, string, StoreAct, RegExp]>([
      [412, "LeaseIdMissing", "write", /break the lease/],
      [412, "LeaseIdMissing", "remove", /break the lease/],
      [409, "BlobImmutableDueToPolicy", "write", /break the lease or the lock/],
      [409, "BlobImmutableDueToPolicy", "remove", /break the lease or the lock/],
      [409, "LeaseAlreadyPresent", "write", /lease/],
      [409, "SnapshotsPresent", "remove", /snapshots/],
      [409, "BlobArchived", "read", /./],
      [409, "DirectoryIsNotEmpty", "remove", /./],
      [403, "UnauthorizedBlobOverwrite", "write", /./],
    ]);
    return { text: `${act}: ${status} ${code}`, habit: refusing(errorOf(status, code), act), ends: "refused", says };
  },
  "busy for some requests": busyFamily(actOf, [
    errorOf(503, "ServerBusy"),
    errorOf(500, "OperationTimedOut"),
    errorOf(500, "InternalError", "header"),
    errorOf(429, "TooManyRequests"),
    { status: 502, headers: { "content-type": "text/html" }, body: "<h1>502</h1>" },
  ]),
  "errors in other words": foreignErrorFamily(actOf),
  "ETags in another form": ({ random }) => {
    const [text, write] = random.pick<[string, (etag: string) => string | undefined]>([
      ["none", () => undefined],
      ["without quotes", (etag) => etag.replaceAll('"', "")],
      ["weak", (etag) => `W/${etag}`],
    ]);
    const act = random.pick(["write", "look"] as const);
    return {
      text: `${text}: ${act}`,
      habit: {
        answer: ({ headers }, request) =>
          actOf(request) === act && typeof headers.etag === "string"
            ? { headers: { ...headers, etag: write(headers.etag) } }
            : {},
      },
      ends: text === "none" && act === "look" ? "either" : "well",
    };
  },
};
