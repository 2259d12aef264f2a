import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { safetyIdentifyBody } from './identify.ts';

it('refuses a mobile base in a sentence, before it looks at anything else', async () => {
  const motion = { durationS: 1, filterS: 0.028, pace: 'asFastAsItGoes', seed: 1, force: false } as const;
  const refused = safetyIdentifyBody({ robot: 'car', out: 'car-observer.yaml', output: 'quiet', ...motion });
  await expect(refused).rejects.toMatchObject({ kind: 'config', message: expect.stringContaining('mobile base') });
  expect(existsSync('car-observer.yaml')).toBe(false);
});
