/** Comparison of the resolved configurations of runs, as written by Rein. Pure; imports nothing that a browser lacks. */

/** Setting that differs between runs: its path and each run's value, empty if unset. */
export interface Difference {
  readonly path: string;
  readonly values: readonly string[];
}

/** Keys that identify a start of a run and are not settings. */
const NO_SETTINGS = /^(run\.|versions\.|formatVersion$)/;

interface Level {
  readonly indent: number;
  readonly name: string;
  /** Number of list items so far. */
  items: number;
}

/** Values by path in `text`, the YAML of a run's `config.yaml`: one key or item per line, as written by Rein. */
export function settingsOf(text: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  const above: Level[] = [];
  for (const line of text.split('\n')) {
    let rest = line.trimStart();
    let indent = line.length - rest.length;
    if (rest === '' || rest.startsWith('#')) continue;
    while (above.length > 0 && above.at(-1)!.indent >= indent) above.pop();
    for (; rest.startsWith('- '); rest = rest.slice(2), indent += 2) {
      const list = above.at(-1);
      above.push({ indent, name: String(list === undefined ? 0 : list.items++), items: 0 });
    }
    const [, key, value = ''] = /^("[^"]+"|[^\s"#:]+):(?: (.*))?$/.exec(rest) ?? [];
    const name = key?.replaceAll('"', '');
    if (name !== undefined && value === '') above.push({ indent, name, items: 0 });
    else
      settings.set(
        [...above.map((level) => level.name), ...(name === undefined ? [] : [name])].join('.'),
        name === undefined ? rest : value,
      );
  }
  return settings;
}

/** Settings in which the runs differ, sorted by path. */
export function differences(runs: readonly ReadonlyMap<string, string>[]): readonly Difference[] {
  const paths = [...new Set(runs.flatMap((settings) => [...settings.keys()]))].filter(
    (path) => !NO_SETTINGS.test(path),
  );
  return paths
    .map((path) => ({ path, values: runs.map((settings) => settings.get(path) ?? '') }))
    .filter(({ values }) => new Set(values).size > 1)
    .sort((a, b) => a.path.localeCompare(b.path));
}
