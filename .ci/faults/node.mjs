// Clients in Node.js: fetch, axios or got. See shell.sh for the cases.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { Agent } from "node:http";
import { pathToFileURL } from "node:url";

const client = process.argv[2];
const load = async (name) => import(pathToFileURL(createRequire(process.env.MODULES + "/").resolve(name)));
const sends = {
  fetch: () => async ({ method, url, headers, body }) => {
    const answer = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(2000) });
    await answer.json();
    return answer.status;
  },
  axios: async () => {
    const { default: axios } = await load("axios");
    return async ({ body, agent, ...rest }) => (await axios({ ...rest, data: body, timeout: 2000, httpAgent: agent })).status;
  },
  got: async () => {
    const { default: got } = await load("got");
    return async ({ agent, ...rest }) => (await got({ ...rest, timeout: { request: 2000 }, agent: { http: agent } })).statusCode;
  },
};
const send = await sends[client]();

for await (const line of createInterface({ input: process.stdin })) {
  const [name, method, path, reuse] = line.split(" ");
  const headers = { Authorization: `Bearer svc_sk_test_${client}-${name}`, "Content-Type": "application/json" };
  const agent = new Agent({ keepAlive: true });
  const body = method === "GET" ? undefined : '{"cancellation_reason":"other"}';
  const url = process.env.UNDERSTUDY_URL;
  try {
    if (reuse === "yes") await send({ method: "GET", url: url + "/verification-requests/vr_completed", headers, agent });
    console.log(name, await send({ method, url: url + path, headers, body, agent }));
  } catch (e) {
    const code = e.code && typeof e.code === "string" ? e.code : e.cause?.code;
    console.log(name, code ? `${e.name} ${code}` : e.name);
  }
}
process.exit();
