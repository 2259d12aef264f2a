import { expect, it } from 'vitest';
import type { ObservationSpec } from '../../model/index.ts';
import { inputPlaces } from './input-map.ts';

const field = (name: string, size: number) => ({ name, size, unit: '1', frame: 'none' });
const spec: ObservationSpec = {
  frames: 2,
  fields: [field('joints', 3), field('tool', 2)],
  once: [field('previous_actions', 2), field('base_action', 2)],
};
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

it.each<[string, readonly string[] | undefined, number | undefined, number, readonly number[]]>([
  ['everything but its own action', undefined, 12, 1, range(0, 12)],
  ['the frames', undefined, 10, 1, range(0, 10)],
  ['the newest frame', undefined, 5, 1, range(5, 10)],
  ['a field of the newest frame', ['tool'], 2, 1, [8, 9]],
  ['fields of all frames, frame after frame', ['tool', 'joints'], 10, 1, [3, 4, 0, 1, 2, 8, 9, 5, 6, 7]],
  ['fields that stand once behind those of all frames', ['previous_actions', 'tool'], 6, 1, [3, 4, 8, 9, 10, 11]],
  ['all of it, where the network leaves the size open', undefined, undefined, 1, range(0, 12)],
  ['what can be divided as the network wants it', undefined, undefined, 5, range(0, 10)],
])('an input gets %s', (_what, fields, size, multipleOf, places) => {
  expect([...inputPlaces(spec, fields, size, multipleOf)]).toEqual(places);
});

it('says what there is, where nothing has the size', () => {
  expect(inputPlaces(spec, undefined, 7)).toBe(
    "the task's observation gives 12 (all of it) or 10 (its 2 frames) or 5 (its newest frame)",
  );
  expect(inputPlaces(spec, ['camera'], 7)).toBe(
    'the observation has no "camera", it has joints, tool, previous_actions',
  );
});
