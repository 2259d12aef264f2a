import { expect, it } from 'vitest';
import { main } from './main.ts';

it('rein learn takes no other folder for a run that goes on', async () => {
  const errors: string[] = [];
  const done = async (): Promise<number> => 0;
  const output = { out: () => undefined, error: (text: string) => void errors.push(text) };
  expect(await main(['learn', '--resume', 'runs/a'], done, output)).toBe(0);
  expect(await main(['learn', '--resume', 'runs/a', '--out', 'runs/b'], done, output)).toBe(2);
  expect(errors.join('')).toContain("option '--resume <dir>' cannot be used with option '--out <dir>'");
});
