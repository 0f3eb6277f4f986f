#!/usr/bin/env node
// The executable of the package. In a clone of the repository it is `npm run demo`.
const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 19)) {
  await import(new URL("../dist/demo/src/start/main.js", import.meta.url).href);
} else {
  console.error(`vaultops-demo needs Node 22.19 or newer; this is ${process.version}.`);
  process.exitCode = 1;
}
