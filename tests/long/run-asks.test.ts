/** A robot that asks the person beside it, as the task's file says: for help where it gets nowhere, and for its things between episodes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup, type RunSetup } from '../../src/config/setup.ts';
import { Graph } from '../../src/learner/engine/graph.ts';
import { matmul } from '../../src/learner/engine/linear.ts';
import { savePolicyFile } from '../../src/policy/index.ts';
import { parseMetrics, RUN_FILES } from '../../src/record/index.ts';
import { LiveRun, until } from '../support/live-run.ts';

let run: LiveRun;
beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-asks-')));
});
afterEach(async () => {
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

/** A policy that asks for no motion, so that it gets nowhere. */
function saveIdlePolicy(folder: string, { observationSize, actionSize, schemaHash }: RunSetup): Promise<string> {
  const g = new Graph('idle');
  const seen = g.input('observation', [1, observationSize]);
  const weights = new Float32Array(observationSize * actionSize);
  g.output('action', matmul(seen, g.constant(weights, [observationSize, actionSize])));
  return savePolicyFile(folder, g.serialize(), {
    runId: 'idle',
    version: 1,
    parent: 0,
    trainingStep: 0,
    updates: 0,
    schemaHash,
    createdAt: '2026-01-02T03:04:05.000Z',
    observationSize,
    actionSize,
    robot: 'arm7',
    task: 'asks',
  });
}

it('asks for help within an episode and for its things between two, holds until it is answered, and tells both', async () => {
  const reach = readFileSync(new URL('../../config/tasks/reach.yaml', import.meta.url), 'utf8')
    .replace('spreadM: [0.12, 0.2, 0.15]', 'spreadM: [0, 0, 0]')
    .replace('atM: [0.45, 0, 0.35]', 'atM: [0.5, 0.15, 0.3]')
    .replace('maxSteps: 50', 'maxSteps: 10');
  writeFileSync(join(run.folder, 'asks.yaml'), `${reach}reset: { by: people }\nhelp: { afterSteps: 4 }\n`);
  const setup = createSetup(resolveConfig({ task: join(run.folder, 'asks.yaml'), seed: 1 }));
  await saveIdlePolicy(join(run.folder, 'idle'), setup);
  // The monitor is where a person may take over; keys come without a terminal.
  const running = run.start(
    'run',
    '--task',
    './asks.yaml',
    '--policy',
    'idle',
    '--monitor',
    '127.0.0.1:0',
    '--out',
    'run',
  );
  const asked = (what: string): number => running.said().split(what).length - 1;
  const records = () => parseMetrics(readFileSync(join(run.folder, 'run', RUN_FILES.metrics), 'utf8')).records;
  const [help, things] = ['asks for help', 'put the robot and its things in place'];
  const press = (key: string): void => void running.child.stdin?.write(key);
  await until(() => asked(help) === 1, 'the first question');
  press('c');
  await until(() => asked(things) === 1, 'the first episode to be over');
  await delay(1500);
  expect([asked(help), asked(things)]).toEqual([1, 1]);
  press('c');
  await until(() => asked(help) === 2, 'the second question');
  press('g');
  await until(() => asked(things) === 2, 'the second episode to be over');
  running.child.kill('SIGINT');
  expect(await running.exit).toBe(130);
  const answers = records().flatMap((each) => (each.kind === 'help' ? [each.answer] : []));
  expect(answers).toEqual(['goOn', 'goOn']);
  expect(records().filter(({ kind }) => kind === 'episode')).toHaveLength(2);
  expect(readFileSync(join(run.folder, 'run', 'report.html'), 'utf8')).toContain(
    'asked for help in 2 episodes, and a person answered in 2',
  );
}, 120_000);
