/**
 * The embedded platform: the admin API on loopback, as the API text describes it. Jobs really render, links really
 * expire, and a test can inject faults. With it, programs that use `pulumi-docs-platform` can be tested without an
 * account.
 * @packageDocumentation
 */
export type { AddedAgentJob, AgentJobSnapshot, AgentJobs, AgentOutcome, AgentStatus } from "./agents/agentJobs";
export type { BodyFault, DelayFault, Fault, FaultKind, FaultScope, StatusFault } from "./faults/fault";
export type { JobStatus } from "./jobs/job";
export type { AddedJob, JobSnapshot, Jobs } from "./jobs/jobs";
export type { PlatformForm, PlatformOptions } from "./options";
export { type Platform, startPlatform } from "./platform";
export type { PlatformOperation } from "./requests/operation";
export type { RequestRecord } from "./requests/requestLog";
export { startTestStack, type TestStack } from "./stack/testStack";
