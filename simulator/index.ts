/**
 * The embedded platform: the admin API, as the API text describes it, on loopback, with jobs that really render, links
 * that really expire, agent jobs, and faults on demand. For tests of programs that use `pulumi-docs-platform`, without
 * an account.
 *
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
