import http from "node:http";

export interface Answers {
  requests: number;
  /** One text for each request whose status is not 200. */
  failures: string[];
}

/** Requests a page again and again. Like requests from different visitors, each request uses a new connection. */
export class Load {
  #answers: Answers = { requests: 0, failures: [] };
  readonly #timer: NodeJS.Timeout;

  /** The requests begin now and end at {@link stop}. */
  constructor(url: string, perSecond: number) {
    this.#timer = setInterval(() => this.#ask(url), 1_000 / perSecond);
  }

  take(): Answers {
    const answers = this.#answers;
    this.#answers = { requests: 0, failures: [] };
    return answers;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #ask(url: string): void {
    const began = new Date().toISOString();
    this.#answers.requests++;
    const failed = (why: string) => void this.#answers.failures.push(`${began} ${why}`);
    const request = http.get(url, { agent: false, timeout: 5_000 }, (response) => {
      response.resume().on("error", (error) => failed(error.message));
      if (response.statusCode !== 200) {
        failed(String(response.statusCode));
      }
    });
    request.on("timeout", () => request.destroy(new Error("no answer within 5 s")));
    request.on("error", (error) => failed(error.message));
  }
}
