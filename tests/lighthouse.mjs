#!/usr/bin/env node
// Lighthouse on a page of each kind: 100 for accessibility, best practices and SEO, 95 or more for performance, on a slow phone.
//
//   node tests/lighthouse.mjs [PAGE…]
//
// Not part of tests/run: it takes minutes, 190 MB from npm (into target/lighthouse), and its performance depends on what else the
// machine does, so that a page below its mark gets two more tries. It needs Node 18.20 or newer and Chromium.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const VERSION = "12.8.2";
const MARKS = { accessibility: 1, "best-practices": 1, seo: 1, performance: 0.95 };
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain" };
const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(repository, "target/lighthouse");
const site = join(home, "site");

function run(program, ...words) {
  const { status } = spawnSync(program, words, { cwd: repository, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(2);
}

/** Serves the site as a web server does that packs what it sends. */
function serve() {
  const server = createServer(({ url }, response) => {
    const name = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
    let file = join(site, name);
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-encoding": "gzip", "cache-control": "max-age=31536000" });
    response.end(gzipSync(readFileSync(file)));
  });
  return new Promise(resolve => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** What is below its mark, and why. */
function faults({ categories, audits }) {
  return Object.entries(MARKS).filter(([id, mark]) => !(categories[id].score >= mark)).map(([id]) => {
    const failed = categories[id].auditRefs.filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 0.9);
    const why = failed.map(({ id }) => `${audits[id].title} ${audits[id].displayValue ?? ""}`.trim());
    return `${id} ${Math.round(categories[id].score * 100)}: ${why.join("; ") || "?"}`;
  });
}

if (!existsSync(join(home, "node_modules/lighthouse"))) {
  run("npm", "install", "--prefix", home, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", `lighthouse@${VERSION}`);
}
run("cargo", "run", "--quiet", "--", "build", "--out", site);
const load = name => import(pathToFileURL(join(home, "node_modules", name)));
const { default: lighthouse } = await load("lighthouse/core/index.js");
const { launch } = await load("chrome-launcher/dist/index.js");

const folder = name => spawnSync("find", [join(site, name), "-name", "*.html"], { encoding: "utf8" }).stdout.trim().split("\n").sort()[0];
const kinds = ["index.html", "block-size.html", "he/memory-hierarchy.html", folder("sources"), folder("evidence")];
const pages = process.argv.length > 2 ? process.argv.slice(2) : kinds.map(file => file.replace(`${site}/`, ""));

const server = await serve();
const chrome = await launch({ chromePath: process.env.LESSONC_BROWSER ?? "/usr/bin/chromium", chromeFlags: ["--headless=new", "--no-sandbox"] });
let failed = false;
for (const page of pages) {
  let left = [], scores = "";
  for (let tries = 0; tries < 3; tries += 1) {
    const { lhr } = await lighthouse(`http://127.0.0.1:${server.address().port}/${page}`, { port: chrome.port, logLevel: "error" });
    scores = Object.keys(MARKS).map(id => `${id} ${Math.round(lhr.categories[id].score * 100)}`).join(", ");
    left = faults(lhr);
    if (left.length === 0 || left.some(fault => !fault.startsWith("performance"))) break;
  }
  console.log([`${page}: ${scores}`, ...left.map(fault => `    ${fault}`)].join("\n"));
  failed ||= left.length > 0;
}
await chrome.kill();
server.close();
process.exit(failed ? 1 : 0);
