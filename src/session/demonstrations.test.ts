import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../config/index.ts';
import { createSetup, type RunSetup } from '../config/setup.ts';
import { checkRecording } from './demonstrations.ts';
import { createRunFolder } from './run-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-recording-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** `reach`, with other numbers in its task. */
const reach = (task: object = {}): RunSetup => {
  const config = resolveConfig({ task: 'reach', seed: 0 });
  return createSetup({ ...config, task: { ...config.task, ...task } });
};

describe('a recording that is handed to a learner', () => {
  const recorded = async (task?: object): Promise<string> => {
    const out = join(folder, 'shown');
    await createRunFolder(reach(task).config, out, new Date());
    return out;
  };

  it('is refused where its steps were of another length', async () => {
    const from = await recorded({ policyHz: 20 });
    expect(() => checkRecording(from, reach())).toThrow(
      `The demonstrations in ${from} are of another robot or task: task.policyHz is 10 here and 20 there.`,
    );
  });

  it('may have counted as done by another rule: it is refused only because it is empty', async () => {
    const from = await recorded({ maxSteps: 77 });
    expect(() => checkRecording(from, reach())).toThrow('There are no demonstrations');
  });
});
