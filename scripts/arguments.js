/** Command line of a script. `--help` prints the comment at the script's beginning, so that it cannot become outdated. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * Like `parseArgs` of Node; `script` is the script's `import.meta.url`. Ends the process with code 0 after `--help`, and with
 * code 2 and one sentence for unknown arguments.
 */
export function scriptArguments(script, config) {
  try {
    const parsed = parseArgs({ ...config, options: { ...config.options, help: { type: 'boolean', short: 'h' } } });
    if (!parsed.values.help) return parsed;
    console.log(headerOf(readFileSync(new URL(script), 'utf8')));
    process.exit(0);
  } catch (error) {
    console.error(`${error.message.split('. To specify')[0].replace(/\.$/, '')}. Try --help.`);
    process.exit(2);
  }
}

function headerOf(source) {
  const [, comment] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(source);
  return comment.replace(/^ \* ?/gm, '');
}
