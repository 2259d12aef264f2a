import { describe, expect, it } from 'vitest';
import {
  type ActionSpec,
  BASE_ACTION,
  frameSize,
  type ObservationSpec,
  observationParts,
  observationSize,
  onceSize,
  PREVIOUS_ACTIONS,
  schemaHash,
} from './spaces.ts';

const observation: ObservationSpec = {
  fields: [
    { name: 'tcp_error', size: 3, unit: 'm', frame: 'base' },
    { name: 'wrench', size: 6, unit: 'N', frame: 'tool' },
  ],
  frames: 3,
};
const action: ActionSpec = {
  kind: 'cartesian',
  dimensions: [
    { name: 'x', scale: 0.005, unit: 'm' },
    { name: 'yaw', scale: 0.05, unit: 'rad' },
  ],
};

describe('sizes', () => {
  it('add the fields and multiply by the stacked frames', () => {
    expect(frameSize(observation)).toBe(9);
    expect(observationSize(observation)).toBe(27);
  });
});

describe('what stands once behind the frames', () => {
  const previous = { name: PREVIOUS_ACTIONS, size: 4, unit: '1', frame: 'none' };
  const base = { name: BASE_ACTION, size: 2, unit: '1', frame: 'none' };

  it('counts once, and a base action is a part of its own', () => {
    const once = { ...observation, once: [previous, base] };
    expect(observationSize(once)).toBe(27 + 6);
    expect([onceSize(once, PREVIOUS_ACTIONS), onceSize(observation, BASE_ACTION)]).toEqual([4, 0]);
    expect(observationParts(once)).toEqual({ stateSize: 31, baseActionSize: 2 });
    expect(observationParts({ ...observation, once: [previous] })).toEqual({ stateSize: 31 });
    expect(observationParts(observation)).toEqual({ stateSize: 27 });
  });

  it('changes the hash; nothing there leaves it as it was', () => {
    const hashes = [[], [previous], [base], [previous, base]].map((once) =>
      schemaHash({ ...observation, once }, action),
    );
    expect(new Set(hashes).size).toBe(4);
    expect(hashes[0]).toBe(schemaHash(observation, action));
  });
});

describe('schemaHash', () => {
  it('stays what it is for ever: policy files and journals carry it', () => {
    expect(schemaHash(observation, action)).toBe('b5efbd91a8398b83');
  });

  it('does not depend on how the object was written', () => {
    const fields = observation.fields.map(({ name, size, unit, frame }) => ({ frame, unit, size, name }));
    expect(schemaHash({ frames: 3, fields }, action)).toBe(schemaHash(observation, action));
  });

  const [first, second] = observation.fields as [ObservationSpec['fields'][0], ObservationSpec['fields'][0]];
  const [x, yaw] = action.dimensions as [ActionSpec['dimensions'][0], ActionSpec['dimensions'][0]];
  it.each<[string, ObservationSpec, ActionSpec]>([
    ['frame count', { ...observation, frames: 2 }, action],
    ['field order', { ...observation, fields: [second, first] }, action],
    ['field name', { ...observation, fields: [{ ...first, name: 'tcp' }, second] }, action],
    ['field size', { ...observation, fields: [{ ...first, size: 2 }, second] }, action],
    ['field unit', { ...observation, fields: [{ ...first, unit: 'mm' }, second] }, action],
    ['field frame', { ...observation, fields: [{ ...first, frame: 'tool' }, second] }, action],
    ['a field left out', { ...observation, fields: [first] }, action],
    ['kind of action', observation, { ...action, kind: 'joint' }],
    ['action order', observation, { ...action, dimensions: [yaw, x] }],
    ['action name', observation, { ...action, dimensions: [{ ...x, name: 'y' }, yaw] }],
    ['action scale', observation, { ...action, dimensions: [{ ...x, scale: 0.004 }, yaw] }],
    ['action unit', observation, { ...action, dimensions: [{ ...x, unit: 'rad' }, yaw] }],
  ])('changes with the %s', (_, otherObservation, otherAction) => {
    expect(schemaHash(otherObservation, otherAction)).not.toBe(schemaHash(observation, action));
  });
});
