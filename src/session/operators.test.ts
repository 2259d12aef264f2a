import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { openOperators } from './operators.ts';

it('hears c and g at a terminal whose keys move nothing', async () => {
  const terminal = new PassThrough();
  const said: string[] = [];
  const sources = await openOperators([], {
    setup: arm6Setup(),
    folder: '/nowhere',
    heard: {
      onMark: () => said.push('mark'),
      onSkip: () => said.push('skip'),
      onGoOn: () => said.push('go on'),
      onGiveBack: () => said.push('give back'),
    },
    onEvent: () => undefined,
    robot: () => undefined,
    print: () => undefined,
    terminal,
  });
  expect(sources).toEqual([]);
  for (const key of ['c', 'm', 'g']) terminal.write(key);
  await new Promise(setImmediate);
  expect(said).toEqual(['go on', 'give back']);
});
