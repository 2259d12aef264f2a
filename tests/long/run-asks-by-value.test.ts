/** A robot that asks for help by what its learner expects of its steps, and by its progress once the learner is gone. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseMetrics, RUN_FILES } from '../../src/record/index.ts';
import { freeAddress } from '../support/free-port.ts';
import { LiveRun, SMALL_LEARNER, until } from '../support/live-run.ts';

let run: LiveRun;
beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-asks-')));
});
afterEach(async () => {
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

it('asks by what its learner expects of its steps, and by its progress once that is gone, and records by which', async () => {
  const reach = readFileSync(new URL('../../config/tasks/reach.yaml', import.meta.url), 'utf8')
    .replace('demonstrations: 20', 'demonstrations: 0')
    .replace('spreadM: [0.12, 0.2, 0.15]', 'spreadM: [0, 0, 0]')
    .replace('atM: [0.45, 0, 0.35]', 'atM: [0.6, 0.28, 0.15]');
  // A policy that stays as it was drawn, and finds no reward: only a success that is near would gain so much.
  const help = 'help: { by: value, afterSteps: 4, leastValueGain: 0.5, leastProgress: 1 }';
  writeFileSync(join(run.folder, 'asks.yaml'), `${reach}${help}\n`);
  const learner = SMALL_LEARNER.replace('publishEveryUpdates: 20', 'publishEveryUpdates: 100000');
  writeFileSync(join(run.folder, 'small.yaml'), learner);
  const address = await freeAddress();
  const [task, config] = [
    ['--task', './asks.yaml'],
    ['--config', 'small.yaml'],
  ];
  const learning = run.start('learn', ...task, ...config, '--bind', address, '--out', 'learner');
  await until(() => learning.said().includes('robots connect with'), 'the learner');
  const robot = [...task, ...config, '--learner', address, '--out', 'robot', '--monitor', '127.0.0.1:0'];
  const moving = run.start('run', ...robot);
  await until(() => moving.said().includes('its value has not risen for 4 steps'), 'the question by value');
  await until(() => run.motion('robot').at(-1)?.event === 'stands', 'holding');
  await delay(500); // what it did before is on the disk
  const steps = run.journal('robot').length;
  await delay(1500);
  expect(run.journal('robot')).toHaveLength(steps);
  learning.child.kill('SIGKILL');
  await learning.exit;
  moving.child.stdin?.write('c');
  await until(() => moving.said().includes('asks for help by its progress'), 'the other measure');
  await until(() => moving.said().includes('no progress for 4 steps'), 'the question by progress');
  moving.child.stdin?.write('c');
  const helps = () => {
    const { records } = parseMetrics(readFileSync(join(run.folder, 'robot', RUN_FILES.metrics), 'utf8'));
    return records.flatMap((each) => (each.kind === 'help' ? [each] : []));
  };
  await until(() => helps().length === 2, 'the second record');
  moving.child.kill('SIGINT');
  expect(await moving.exit).toBe(130);
  const [byValue, byProgress] = helps();
  expect(byValue).toMatchObject({ by: 'value', answer: 'goOn' });
  expect(byValue!.peak).toBeGreaterThanOrEqual(byValue!.measure);
  expect(byProgress).toMatchObject({ by: 'progress', answer: 'goOn' });
  expect(byProgress!.measure).toBeLessThan(0);
}, 180_000);
