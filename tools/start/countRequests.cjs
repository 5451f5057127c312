// Loaded into the provider process (NODE_OPTIONS): notes each request that it sends to the platform, one line each.
const { appendFileSync } = require("node:fs");
const { subscribe } = require("node:diagnostics_channel");

const file = process.env.QUICKSTART_REQUESTS;
const origin = process.env.QUICKSTART_ORIGIN;

if (file && origin) {
  subscribe("undici:request:create", ({ request }) => {
    if (request.origin === origin) {
      appendFileSync(file, `${request.method} ${request.path}\n`);
    }
  });
}
