/** Detection of jumps of `/clock`, with times given by the test. */
import { expect, it } from 'vitest';
import { FaultReporter } from './fault-reporter.ts';
import { PortClock } from './port-clock.ts';

it.each([
  ['the first time', [[1000, 5]], []],
  [
    'a simulation at nine times the pace, heard once in a while',
    [
      [10, 5],
      [28, 7],
    ],
    [],
  ],
  [
    'a simulation at a hundred times the pace, heard often',
    [
      [10, 5],
      [10.9, 5.009],
      [11.8, 5.018],
    ],
    [],
  ],
  [
    'messages that come in a burst',
    [
      [10, 5],
      [10.5, 5.0001],
    ],
    [],
  ],
  [
    '100 s in a moment',
    [
      [10, 5],
      [110, 5.01],
    ],
    ['ROS time jumped ahead by 100 s'],
  ],
  [
    'back',
    [
      [10, 5],
      [9.75, 5.01],
    ],
    ['ROS time went back by 0.25 s'],
  ],
] as const)('%s', (_what, heard, expected) => {
  const said: string[] = [];
  const clock = new PortClock(true, new FaultReporter(({ message }) => said.push(message)));
  const jumps: bigint[] = [];
  clock.onJump((byNs) => jumps.push(byNs));
  for (const [timeS, atS] of heard) clock.set(BigInt(Math.round(timeS * 1e9)), atS);
  expect(said).toEqual(expected);
  expect(jumps).toHaveLength(expected.length);
});
