import { expect, it } from 'vitest';
import { parseRawYaml, type RawYaml, resolveConfig, resolvedConfigText } from '../../config/index.ts';
import { differences, settingsOf } from './settings.ts';

/** Values by path, as parsed by a library. */
function flat(value: RawYaml, path: readonly string[] = []): [string, string][] {
  if (value.kind === 'scalar') return [[path.join('.'), value.text]];
  if (value.kind === 'list') return value.items.flatMap((item, i) => flat(item, [...path, String(i)]));
  return value.kind === 'map' ? value.entries.flatMap(([key, inner]) => flat(inner, [...path, key])) : [];
}

it('reads what Rein writes of a run as a library for YAML does', () => {
  const text = resolvedConfigText(resolveConfig({ task: 'insert', seed: 3 }));
  const wanted = new Map(flat(parseRawYaml(text, 'config.yaml')));
  const found = settingsOf(text);
  const wrong = [...wanted].filter(([path, value]) => found.get(path)?.replace(/^"(.*)"$/, '$1') !== value);
  expect(wrong.filter(([, value]) => value !== '')).toEqual([]);
  expect([...found].filter(([, value]) => value !== '[]' && value !== '{}')).toHaveLength(wanted.size);
});

it('tells the settings in which runs differ, and nothing else of them', () => {
  const one = 'run:\n  id: a\nseed: 0\nlearner:\n  utd: 4\n  hidden:\n    - 64\n    - 64\n';
  const other = 'run:\n  id: b\nseed: 1\nlearner:\n  utd: 4\n  hidden:\n    - 64\n    - 32\n  tau: 0.1\n';
  expect(differences([one, other].map(settingsOf))).toEqual([
    { path: 'learner.hidden.1', values: ['64', '32'] },
    { path: 'learner.tau', values: ['', '0.1'] },
    { path: 'seed', values: ['0', '1'] },
  ]);
});
