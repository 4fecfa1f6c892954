// Checks what httpyac has been answered: each request of an .http file has the status that its name says. Argument: the JSON that
// it printed.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const { requests } = JSON.parse(await readFile(process.argv[2], "utf8"));
for (const { name, response } of requests) assert.equal(`${name.split(" answers ")[0]} answers ${response?.statusCode}`, name);
assert.ok(requests.length > 200);
console.log(`fine: ${requests.length} requests of the .http file`);
