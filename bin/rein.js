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
  process.exitCode = 1;
  const unbuilt = /module '?(.*)dist[/\\]cli[/\\]main\.js'? imported/.exec(error.message);
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || unbuilt === null) return console.error(error);
  return import('node:fs').then((fs) =>
    console.error(
      fs.existsSync(`${unbuilt[1]}scripts/build.js`)
        ? 'rein: it has not been built yet.\n  Run: npm run build'
        : "rein: this package was made without dist/.\n  Run in Rein's checkout: npm run package. Then install what it writes.",
    ),
  );
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
