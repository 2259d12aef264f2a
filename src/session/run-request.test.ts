import { expect, it } from 'vitest';
import { checkRunRequest } from './run-request.ts';

it('is the same after it was JSON, and is refused by the key that is wrong', () => {
  const request = checkRunRequest({ task: './reach.yaml', policy: 'p.onnx', durationS: 2.5, operator: 'scripted' });
  expect(request).toMatchObject({ robotId: 'robot1', seed: 0, output: 'live', durationS: 2.5 });
  expect(checkRunRequest(JSON.parse(JSON.stringify(request)))).toEqual(request);
  expect(() => checkRunRequest({ durationS: '2.5' })).toThrow('durationS');
  expect(() => checkRunRequest({ robotId: '../x' })).toThrow('robotId');
  expect(checkRunRequest({ robotId: 'left.arm' }).robotId).toBe('left.arm');
  expect(() => checkRunRequest({ speed: 1 })).toThrow('speed');
});
