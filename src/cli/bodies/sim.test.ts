import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SimulationOptions } from '../../sim/simulate.ts';
import type { SimOptions } from '../sim.ts';
import { simBody } from './sim.ts';

const simulate = vi.hoisted(() => vi.fn());
vi.mock('../../sim/index.ts', () => ({ simulate }));

const options: SimOptions = {
  task: 'insert',
  seed: 0,
  demonstrations: 'scripted',
  operator: 'keyboard',
  steps: undefined,
  evalEpisodes: undefined,
  timeLimitS: undefined,
  config: undefined,
  json: undefined,
  out: undefined,
  trace: 'off',
  output: 'quiet',
};

let printed = '';
beforeEach(() => {
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

/** A run that is interrupted by Ctrl+C, and ends with the error that `failure` makes of the signal's reason. */
function interruptedWith(failure: (reason: unknown) => unknown): void {
  simulate.mockImplementation(async ({ signal }: SimulationOptions) => {
    process.emit('SIGINT', 'SIGINT');
    throw failure(signal.reason);
  });
}

it.each([
  ['itself', (reason: unknown) => reason],
  ['within another error', (cause: unknown) => new Error('the run was ended', { cause })],
])('ends in order by Ctrl+C where its reason comes back %s', async (_how, failure) => {
  interruptedWith(failure);
  expect(await simBody(options)).toBe(130);
  expect(printed).toContain('Ended by Ctrl+C');
});

it('reports what went wrong while Ctrl+C was obeyed', async () => {
  interruptedWith(() => new Error('no space left on device'));
  await expect(simBody(options)).rejects.toThrow('no space left');
  expect(printed).not.toContain('Ended by Ctrl+C');
});
