import { type DeploymentType, featureAvailability } from "../../../sdk/featureAvailability";
import type { GetAgentJobResult } from "../../../sdk/getAgentJob";
import type { GetStaticExportResult } from "../../../sdk/getStaticExport";
import { connect } from "../../platform/connect";
import type { RawInputs } from "../../resources/lifecycle";
import { identifier, type Rule, text, truth } from "../../resources/validation";
import { ConfigurationError } from "../../support/errors";
import { isoTime } from "../../support/isoTime";
import { projectIdAdvice } from "../../support/settingTable";
import { badRequest } from "./rpcError";
import type { Session } from "./sessions";

/** A function of the plugin. */
export interface PluginFunction {
  rules: Readonly<Record<string, Rule>>;
  required: readonly string[];
  /** Called with arguments that keep the rules. */
  call(args: RawInputs, session: Session): Promise<object>;
}

/** Every function of the plugin, by the last part of its token, `docs-platform:index:<name>`. */
export const functionTable: Readonly<Record<string, PluginFunction>> = {
  getStaticExport: {
    rules: { jobId: identifier },
    required: ["jobId"],
    async call(args, { settings, signal }) {
      const jobId = String(args.jobId);
      const job = await (await connect(settings.require())).getExport(jobId, { signal });
      const { status, progress, pageCount, domain, error } = job;
      const [startedAt, completedAt] = [isoTime(job.startedAt), isoTime(job.completedAt)];
      const result = { jobId, status, progress, pageCount, domain, error, startedAt, completedAt };
      return result satisfies GetStaticExportResult;
    },
  },
  getAgentJob: {
    rules: { jobId: identifier, projectId: identifier },
    required: ["jobId"],
    async call(args, { settings, signal }) {
      const read = settings.require();
      const projectId = args.projectId ?? read.projectId;
      if (projectId === undefined) {
        throw new ConfigurationError([`projectId is missing: give it in the call, or ${projectIdAdvice}`]);
      }
      const jobId = String(args.jobId);
      const key = { projectId: String(projectId), id: jobId };
      const job = await (await connect(read)).getAgentJob(key, { signal });
      const { status, source, model, prLink } = job;
      const [createdAt, archivedAt] = [isoTime(job.createdAt), isoTime(job.archivedAt)];
      const result = { jobId, status, source, model, prLink, createdAt, archivedAt };
      return result satisfies GetAgentJobResult;
    },
  },
  helmValues: {
    rules: {
      bundle: object({ bundleUrl: text, version: text }),
      mirror: object({ url: text, version: text, layout: text }, ["url", "version"]),
      enabled: truth,
      version: text,
    },
    required: [],
    call: helmValuesOf,
  },
  featureAvailability: {
    rules: { deploymentType: text },
    required: ["deploymentType"],
    async call({ deploymentType }) {
      try {
        return featureAvailability(deploymentType as DeploymentType);
      } catch (error) {
        throw badRequest(error instanceof Error ? error.message : String(error));
      }
    },
  },
};

/** The SDK's own function, given outputs of what the engine has resolved. */
async function helmValuesOf({ bundle, mirror, enabled, version }: RawInputs): Promise<object> {
  const pulumi = await import("@pulumi/pulumi");
  const { helmValues } = await import("../../../sdk/helmValues.js");
  const outputs = (values: unknown) =>
    values === undefined
      ? undefined
      : Object.fromEntries(Object.entries(values as object).map(([name, value]) => [name, pulumi.output(value)]));
  try {
    const args = { bundle: outputs(bundle), mirror: outputs(mirror), enabled, version };
    // What the rules have checked; a bundle is read for these two outputs only.
    const values = helmValues(args as unknown as Parameters<typeof helmValues>[0]) as unknown as Resolvable;
    return await values.promise();
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
}

/** What an output has beyond its published type. */
interface Resolvable {
  promise(): Promise<object>;
}

/** An object whose properties keep their rules; those that are required, else all, must be there. */
function object(rules: Readonly<Record<string, Rule>>, required = Object.keys(rules)): Rule {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return `must be an object of ${Object.keys(rules).join(", ")}`;
    }
    const given = new Map(Object.entries(value).filter(([, item]) => item !== null && item !== undefined));
    const missing = required.find((name) => !given.has(name));
    const wrong = [...given].find(([name, item]) => !Object.hasOwn(rules, name) || rules[name]?.(item) !== undefined);
    if (missing !== undefined) {
      return `lacks ${missing}`;
    }
    return wrong && `has a wrong ${wrong[0]}: ${rules[wrong[0]]?.(wrong[1]) ?? "there is no such property"}`;
  };
}
