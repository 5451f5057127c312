import type { RawValues } from "../../definitions/values";
import { ConfigurationError } from "../../support/errors";
import { jsonObject } from "../../support/jsonObject";
import type { TerraformRequest } from "./wire/messages";

/**
 * Reads the job in the state of a provider for any REST interface: from its id, the request that it has sent, and the last
 * answer, which counts most.
 */
const sources: Readonly<Record<string, (state: RawValues) => RawValues>> = {
  restapi_object: ({ id, data, api_response: answer }) => ({ jobId: id, ...parsed(data), ...parsed(answer) }),
  // The id is the path of the object. Without a `read_path`, it is the path of the start, which names no job.
  restful_resource: ({ id, path, body, output }) => ({
    jobId: id === path ? undefined : String(id).replace(/\?.*$/, "").split("/").at(-1),
    ...dynamic(body),
    ...dynamic(output),
  }),
};

/** @throws ConfigurationError if the other resource is of another type, or tells of no job. */
export function movedJob({ sourceTypeName = "", sourceState }: TerraformRequest<"MoveResourceState">): {
  jobId: string;
  domain?: string;
} {
  const read = Object.hasOwn(sources, sourceTypeName) ? sources[sourceTypeName] : undefined;
  const { jobId, domain } = read?.(parsed(Buffer.from(sourceState?.json ?? []).toString())) ?? {};
  if (typeof jobId !== "string" || jobId === "") {
    const known = Object.keys(sources).join(" and ");
    throw new ConfigurationError(
      [read ? `the state of this ${sourceTypeName} tells no job id` : `only ${known} can be moved to an export`],
      "remove the moved block, and give the id of the job: as job_id, or in an import block.",
    );
  }
  return { jobId, ...(typeof domain === "string" && { domain }) };
}

function parsed(text: unknown): RawValues {
  return jsonObject(String(text)) ?? {};
}

function dynamic(held: unknown): RawValues {
  return Object(Object(held).value);
}
