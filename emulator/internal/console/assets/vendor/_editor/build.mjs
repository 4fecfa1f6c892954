// Builds ../editor.min.js and ../LICENSE.editor: npm ci && npm run build. The banner has a hash of the sources, which a test compares.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const hash = createHash("sha256");
for (const name of ["build.mjs", "editor.js", "package-lock.json", "package.json", "schema.js"]) hash.update(readFileSync(name));
const { metafile } = await build({
  entryPoints: ["editor.js"], outfile: "../editor.min.js", bundle: true, minify: true, format: "iife", globalName: "scenarioEditor",
  target: "es2022", legalComments: "none", metafile: true,
  banner: { js: `/* Built from _editor: sha256 ${hash.digest("hex")} */` },
});

const packages = [...new Set(Object.keys(metafile.inputs).map((input) => /^node_modules\/((@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean))];
writeFileSync("../LICENSE.editor", packages.sort().map((name) => {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`));
  const text = readFileSync(`${folder}/${readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))}`, "utf8");
  return `${name} ${version}, ${license}\n\n${text.trim()}\n`;
}).join(`\n${"-".repeat(80)}\n\n`));
