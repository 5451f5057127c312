// A small library as users write it. Pulumi captures it into the state together with the provider.
class Client {
  constructor(baseUrl, apiKey) {
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
  }

  async request(method, path, body) {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${this.apiKey}`, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) {
      throw new Error(`${method} ${path} failed: ${response.status} ${await response.text()}`);
    }
    return response.json();
  }

  startExport(domain) {
    return this.request("POST", "/v1/static-export/jobs", { domain });
  }

  getExport(jobId) {
    return this.request("GET", `/v1/static-export/jobs/${jobId}`);
  }

  createBundle(jobId) {
    return this.request("POST", `/v1/static-export/jobs/${jobId}/bundle`);
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

module.exports = { Client, sleep };
