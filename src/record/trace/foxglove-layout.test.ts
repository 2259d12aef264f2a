import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CHANNELS } from './channels.ts';

type Split = string | { readonly first: Split; readonly second: Split };
interface Layout {
  readonly configById: Readonly<Record<string, { readonly topics?: object; readonly topicToRender?: string }>>;
  readonly layout: Split;
}

const text = readFileSync(new URL('../../../config/foxglove-layout.json', import.meta.url), 'utf8');
const layout = JSON.parse(text) as Layout;

const panelsIn = (split: Split): string[] =>
  typeof split === 'string' ? [split] : [...panelsIn(split.first), ...panelsIn(split.second)];

it('the layout for Foxglove shows each of its panels, and asks for nothing that no channel has', () => {
  expect(panelsIn(layout.layout).sort()).toEqual(Object.keys(layout.configById).sort());
  const paths = [...text.matchAll(/"(?:value|topicPath)": "(\/[^"]+)"/g)].map(([, path]) => path!);
  const topics = Object.values(layout.configById).flatMap((panel) => Object.keys(panel.topics ?? {}));
  const logs = Object.values(layout.configById).flatMap(({ topicToRender = [] }) => topicToRender);
  const wanted = [...paths, ...topics, ...logs];
  expect(wanted.length).toBeGreaterThan(10);
  const missing = wanted.filter((path) => {
    const [topic, member] = path.replace(/\[\d+\]$/, '').split('.');
    const channel = CHANNELS.find((each) => each.topic === topic);
    const { properties = {} } = (channel?.schema ?? {}) as { readonly properties?: object };
    return channel === undefined || (member !== undefined && !Object.hasOwn(properties, member));
  });
  expect(missing).toEqual([]);
});
