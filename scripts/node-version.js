/** Refuses a Node that is too old with one sentence, instead of a later stack trace. Import it first. */
import { readFileSync } from 'node:fs';

const packageFile = new URL('../package.json', import.meta.url);
const wanted = JSON.parse(readFileSync(packageFile, 'utf8')).engines.node.replace(/^>=/, '');

if (!isAtLeast(process.versions.node, wanted)) {
  console.error(
    `Rein needs Node ${wanted} or newer; this is Node ${process.versions.node}. Install it from https://nodejs.org.`,
  );
  process.exit(1);
}

function isAtLeast(version, minimum) {
  const have = version.split('.').map(Number);
  const need = minimum.split('.').map(Number);
  for (let i = 0; i < 3; i++) {
    if (have[i] !== need[i]) return have[i] > need[i];
  }
  return true;
}
