import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ReinError } from '../model/index.ts';
import { CONFIG_ROOT } from './names.ts';
import { resolveConfig } from './resolve.ts';
import { loadResolvedConfig, resolvedConfigText } from './resolved-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-base-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The shipped task with `lines` added, in a file of its own. */
function taskWith(lines: string): string {
  const file = join(folder, 'own', 'residual.yaml');
  mkdirSync(join(folder, 'own'), { recursive: true });
  writeFileSync(file, `${readFileSync(join(CONFIG_ROOT, 'tasks', 'insert.yaml'), 'utf8')}${lines}\n`);
  return file;
}

function refusal(lines: string): string {
  try {
    resolveConfig({ task: taskWith(lines), seed: 1 });
  } catch (error) {
    expect(error).toBeInstanceOf(ReinError);
    return (error as ReinError).message;
  }
  return 'accepted';
}

it('a base policy is found beside the file of its task, and comes back from the file of a run', () => {
  const lines = `previousActions: 2
observationDelaySteps: 1
basePolicy:
  file: ../models/bc.onnx
  executeSteps: 4
  rateHz: 10
  inputs:
    - { name: observation.state, fields: [hole_offset, force] }
    - { name: noisy_action, noise: true }`;
  const config = resolveConfig({ task: taskWith(lines), seed: 1 });
  expect(config.task).toMatchObject({
    previousActions: 2,
    observationDelaySteps: 1,
    basePolicy: {
      file: join(folder, 'models', 'bc.onnx'),
      inputs: [
        { name: 'observation.state', fields: ['hole_offset', 'force'], noise: false },
        { name: 'noisy_action', noise: true },
      ],
    },
  });
  const path = join(folder, 'config.yaml');
  writeFileSync(path, resolvedConfigText(config));
  expect(loadResolvedConfig(path)).toEqual(config);
});

it.each([
  ['rateHz: 20', "basePolicy.rateHz is 20, the task's policyHz is 10: its actions are for steps of another length"],
  ['{ chunk: 4, executeSteps: 5 }', 'basePolicy.executeSteps is 5, but a chunk has 4 actions: write 4 at most'],
  ['sha256: abc', 'basePolicy.sha256'],
  ['chunks: 4', 'did you mean "chunk"'],
])('a base policy with %s is refused', (key, words) => {
  const own = key.startsWith('{') ? key.slice(1, -1) : key;
  expect(refusal(`basePolicy: { file: bc.onnx, ${own} }`)).toContain(words);
});

it.each([
  ['{ all: [{ rule: force, aboveN: 5 }] }', '', 'phaseSwitch needs a basePolicy, which acts before the critical phase'],
  ['{ byButton: false }', 'basePolicy: { file: bc.onnx }', 'the critical phase never begins'],
  [
    '{ any: [{ rule: inside, place: hole, minM: [0, 0, 0], maxM: [1, 1, 1] }] }',
    'basePolicy: { file: bc.onnx }',
    'this kind of task has no place "hole", there are tool, base',
  ],
  [
    '{ all: [{ rule: inside, place: tool, minM: [0, 0, 1], maxM: [1, 1, 1] }] }',
    'basePolicy: { file: bc.onnx }',
    '.minM[2] and phaseSwitch.all[0].maxM[2] are both 1: lower the first or raise the second',
  ],
  [
    '{ all: [{ rule: joint, joint: knee, atRad: 0, withinRad: 1 }] }',
    'basePolicy: { file: bc.onnx }',
    'no joint "knee"',
  ],
  ['{ all: [{ rule: force, aboveN: 5 }] }', 'basePolicy: { file: bc.onnx }', 'accepted'],
])('a phase switch with %s and %s: %s', (phaseSwitch, base, words) => {
  expect(refusal(`phaseSwitch: ${phaseSwitch}\n${base}`)).toContain(words);
});
