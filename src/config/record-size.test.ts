import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openJournal } from '../link/index.ts';
import { createTransition } from '../rows/index.ts';
import { resolveConfig } from './resolve.ts';
import { createSetup } from './setup.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-record-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A task with a camera of `side` × `side` colour pixels. */
function taskOf(side: number, frames: number): string {
  const task = join(folder, `look-${side}-${frames}.yaml`);
  writeFileSync(
    task,
    `name: look
kind: operatorJudged
robot: arm6-ros
learner: rlpd
policyHz: 10
historyFrames: ${frames}
action: { kind: cartesian, dimensions: [{ name: x, scale: 0.01, unit: m }] }
observation:
  topics:
    - { name: camera, topic: camera/image_raw, type: sensor_msgs/msg/Image, fields: [rgb], widthPx: ${side}, heightPx: ${side} }
`,
  );
  return task;
}

it('a step that is too wide to be recorded is refused at its place in the YAML, with the most that is possible', () => {
  const task = taskOf(256, 3);
  expect(() => resolveConfig({ task, seed: 1 })).toThrow(
    /look-256-3\.yaml:9:3: the observation has 589908 numbers \(3 frames of 196636\), a step can be recorded with 500000 at most/,
  );
});

it.each([
  [256, 2],
  [256, 1],
  [64, 3],
])('what is taken can be recorded: %i × %i in colours', async (side, frames) => {
  const { observationSize, actionSize, schemaHash } = createSetup(
    resolveConfig({ task: taskOf(side, frames), seed: 1 }),
  );
  const dir = join(folder, `journal-${side}-${frames}`);
  const before = process.memoryUsage().arrayBuffers;
  const journal = openJournal({ dir, runId: 'r', schemaHash, observationSize, actionSize });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * 2 ** 20);
  for (let i = 0; i < 3; i++) journal.append(createTransition(observationSize, actionSize));
  await journal.flush();
  expect(journal.synced).toBe(3);
  await journal.close();
});
