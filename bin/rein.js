#!/usr/bin/env node
// Nothing is imported, and nothing newer than Node 10 is written here: an old Node has to get as far as the sentence
// that says so. Keep `needed` equal to package.json's engines; src/cli/bin.test.ts compares them.
const needed = [20, 20, 2];
const have = process.versions.node.split('.').map(Number);

function isOlder(a, b) {
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i] < b[i];
  return false;
}

function explain(error) {
  const isUnbuilt = error.code === 'ERR_MODULE_NOT_FOUND' && /dist[/\\]cli[/\\]main\.js'? imported/.test(error.message);
  console.error(isUnbuilt ? 'rein: it has not been built yet.\n  Run: npm run build' : error);
  process.exitCode = 1;
}

if (isOlder(have, needed)) {
  console.error(
    `rein: this is Node ${process.versions.node}; Rein needs Node ${needed.join('.')} or newer (https://nodejs.org).`,
  );
  process.exitCode = 1;
} else {
  import('../dist/cli/main.js')
    .then((cli) => cli.main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
    })
    .catch(explain);
}
