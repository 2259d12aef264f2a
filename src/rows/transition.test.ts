import { describe, expect, it } from 'vitest';
import { copyTransition, createTransition } from './row-codecs.ts';
import { isIntervention, SOURCES, type Transition } from './transition.ts';

/** A transition in which every field differs from a new one. */
function filled(): Transition {
  const transition = createTransition(4, 2);
  let next = 1;
  for (const [key, value] of Object.entries(transition)) {
    if (typeof value === 'number') Object.assign(transition, { [key]: next++ });
    else if (typeof value === 'boolean') Object.assign(transition, { [key]: true });
    else if (value instanceof Float32Array) for (let i = 0; i < value.length; i++) value[i] = next++;
  }
  transition.source = 'demo';
  return transition;
}

describe('copyTransition', () => {
  it('copies every field there is', () => {
    const from = filled();
    const into = createTransition(4, 2);
    copyTransition(into, from);
    expect(into).toEqual(from);
  });

  it('shares no array with what it copied from', () => {
    const from = filled();
    const into = createTransition(4, 2);
    copyTransition(into, from);
    const before = structuredClone(into);
    for (const value of Object.values(from)) if (value instanceof Float32Array) value.fill(-1);
    expect(into).toEqual(before);
  });

  it('refuses an array that does not fit', () => {
    expect(() => copyTransition(createTransition(3, 2), filled())).toThrow(RangeError);
  });
});

describe('isIntervention', () => {
  it('is true for a person and for the script that stands in for one, and for nobody else', () => {
    expect(SOURCES.filter(isIntervention)).toEqual([
      'human_recover',
      'human_correct',
      'scripted_recover',
      'scripted_correct',
    ]);
  });

  it('keeps the order of the sources, which is the code on the wire', () => {
    expect(SOURCES.indexOf('policy')).toBe(0);
    expect(SOURCES.indexOf('demo')).toBe(5);
  });
});
