import { expect, it } from 'vitest';
import { z } from 'zod';
import { agreed, agreedOf, mayDiffer } from './agreement.ts';

const part = z.strictObject({ name: z.string(), scale: z.number(), topic: mayDiffer(z.string()) });
const schema = z.strictObject({
  rateHz: agreed(z.number().default(10)),
  hole: agreed(z.strictObject({ depthM: z.number(), spreadM: mayDiffer(z.number()).optional() }).optional()),
  seen: agreed(z.strictObject({ topics: z.array(part).default([]) }).prefault({})),
  limitsM: agreed(z.array(z.number())),
  seed: z.number(),
});

it('robot and learner agree on what is marked, part by part, and on nothing else', () => {
  const value = {
    rateHz: 20,
    hole: { depthM: 0.03, spreadM: 0.01 },
    seen: { topics: [{ name: 'eye', scale: 2, topic: '/eye' }] },
    limitsM: [0, 1],
    seed: 7,
    unknown: 1,
  };
  expect(agreedOf(schema, value, 'task')).toEqual({
    'task.rateHz': 20,
    'task.hole.depthM': 0.03,
    'task.seen.topics.eye.name': 'eye',
    'task.seen.topics.eye.scale': 2,
    'task.limitsM': [0, 1],
  });
  expect(agreedOf(schema, { rateHz: 20, hole: undefined, seen: { topics: [] } }, 'task')).toEqual({
    'task.rateHz': 20,
    'task.seen.topics': [],
  });
});
