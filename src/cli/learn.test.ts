import { expect, it } from 'vitest';
import type { CommandBodies } from './bodies.ts';
import { main } from './main.ts';

it('rein learn takes no other folder for a run that goes on', async () => {
  const errors: string[] = [];
  const done = async (): Promise<number> => 0;
  const bodies: CommandBodies = {
    sim: done,
    run: done,
    learn: done,
    train: done,
    sweep: done,
    pretrain: done,
    report: done,
    exportPolicy: done,
    exportEncoder: done,
    evaluate: done,
    recover: done,
    doctor: done,
    plugins: done,
    safetyCheck: done,
    safetyIdentify: done,
  };
  const output = { out: () => undefined, error: (text: string) => void errors.push(text) };
  expect(await main(['learn', '--resume', 'runs/a'], bodies, output)).toBe(0);
  expect(await main(['learn', '--resume', 'runs/a', '--out', 'runs/b'], bodies, output)).toBe(2);
  expect(errors.join('')).toContain("option '--resume <dir>' cannot be used with option '--out <dir>'");
});
