/** A real-time session whose successes a classifier decides, as in `rein run` and the ROS node. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { saveHandMade } from '../../tests/support/reward-classifier.ts';
import { TestRobot } from '../../tests/support/session.ts';
import { resolveConfig } from '../config/index.ts';
import { createSetup, type RunSetup } from '../config/setup.ts';
import { parseMetrics } from '../record/index.ts';

let robot: TestRobot;
beforeEach(() => {
  robot = new TestRobot();
});
afterEach(() => robot.close());

/** A configuration whose classifier looks at one number of the observation. */
function judged(column: number): RunSetup {
  const { schemaHash, observationSize } = robot.setup;
  saveHandMade(join(robot.folder, 'reward.onnx'), { schemaHash, observationSize, column });
  const overlay = join(robot.folder, 'overlay.yaml');
  writeFileSync(overlay, 'task:\n  rewardClassifier: { file: ./reward.onnx, forSteps: 3 }\n');
  return createSetup(resolveConfig({ task: 'insert', seed: 0, overlay }));
}

describe('a session whose successes a classifier decides', () => {
  it('ends an episode after enough steps that count, and writes down what the task itself says', async () => {
    // Last executed action along x: there is none, so 0 counts as a success.
    const setup = judged(robot.setup.observationSize - 1);
    const session = await robot.open({ setup, policy: await robot.policyFile() });
    const report = await session.runEpisode({ purpose: 'training' }).done;
    expect(report).toMatchObject({ success: true, endedBy: 'success', own: { firstSuccess: null } });
    expect(report.steps).toBeGreaterThanOrEqual(3);
    await session.close();
    robot.forget();
    const { records } = parseMetrics(readFileSync(join(robot.folder, 'metrics.jsonl'), 'utf8'));
    const found = records.filter(({ kind }) => kind === 'verdict');
    expect(found).toMatchObject([{ epoch: 1, episode: 0, success: true, steps: report.steps, ownFirstSuccess: null }]);
  });

  it('means something else than one whose rules decide, and is refused before anything moves without its file', async () => {
    const setup = judged(0);
    const { file, sha256 } = setup.config.task.rewardClassifier!;
    expect(setup.meaning).toMatchObject({
      'task.rewardClassifier.sha256': sha256,
      'task.rewardClassifier.forSteps': 3,
    });
    expect(Object.keys(setup.meaning)).not.toContain('task.rewardClassifier.file');
    expect(setup.schemaHash).toBe(robot.setup.schemaHash);
    writeFileSync(file, 'another');
    await expect(robot.open({ setup, policy: await robot.policyFile() })).rejects.toThrow(/is another classifier/);
  });
});
