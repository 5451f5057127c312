import type { Platform } from "../../simulator/index";

export async function completedJob({ baseUrl, apiKey, jobs }: Platform): Promise<{ jobId: string; bundleUrl: string }> {
  const { jobId } = jobs.add({ domain: "docs.example.com", status: "completed" });
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`${baseUrl}/v1/static-export/jobs/${jobId}/bundle`, { method: "POST", headers });
  const { bundleUrl } = (await answer.json()) as { bundleUrl: string };
  return { jobId, bundleUrl };
}
