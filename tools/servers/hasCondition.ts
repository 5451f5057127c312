/** The status of an object of Kubernetes that tells of itself by conditions. */
interface Status {
  conditions?: { type: string; status: string }[];
}

/** Whether a condition holds, such as `Ready` of a node or a pod, and `Complete` of a Job. */
export function hasCondition({ conditions = [] }: Status, type: string): boolean {
  return conditions.some((each) => each.type === type && each.status === "True");
}
