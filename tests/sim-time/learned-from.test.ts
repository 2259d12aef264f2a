/** What is learned from steps around interventions and before the critical phase, as a learner's file says it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { rlpd } from '../../src/learner/algorithms/rlpd.ts';
import { createReplay } from '../../src/learner/training.ts';
import { Rng } from '../../src/model/index.ts';
import { createTransition, type Transition } from '../../src/rows/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-learned-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Ten steps of one episode: the base's three, the policy's three, two of a person, the policy's last two. Each pays its number. */
const STEPS = [...'bbbppphhpp'];

/** Rewards of the rows that an update of a learner with `yaml` may draw, each once. */
function drawnWith(yaml: string): readonly number[] {
  const overlay = join(folder, 'overlay.yaml');
  writeFileSync(overlay, yaml);
  const config = resolveConfig({ task: 'reach', seed: 1, overlay });
  const { parts, actionSize, observationSize } = createSetup(config);
  const replay = createReplay({ algorithm: rlpd, spec: { config: config.learner, parts, actionSize } });
  for (const [step, who] of STEPS.entries()) {
    const t: Transition = createTransition(observationSize, actionSize);
    Object.assign(t, { step, seq: step, reward: step, isBasePhase: who === 'b' });
    if (who === 'h') t.source = 'human_correct';
    expect(replay.add(t)).toBe('accepted');
  }
  const { online } = replay.visible(STEPS.length);
  const batch = {
    observation: new Float32Array(observationSize),
    nextObservation: new Float32Array(observationSize),
    action: new Float32Array(actionSize),
    reward: new Float32Array(1),
    filterActivity: new Float32Array(1),
    tankDrainJ: new Float32Array(1),
    bootstrap: new Float32Array(1),
  };
  const rng = new Rng(1);
  const rewards = Array.from({ length: 400 }, () => {
    replay.online.copyRow(replay.online.drawn(rng.int(STEPS.length), online, rng), batch, 0, undefined, online);
    return batch.reward[0]!;
  });
  return [...new Set(rewards)].sort((a, b) => a - b);
}

it.each([
  ['learner: {}', [3, 4, 5, 6, 7, 8, 9]],
  ['learner: { learnsFromBasePhase: true }', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ['learner: { interventions: { onsetPenalty: 0.5 } }', [3, 4, 4.5, 6, 7, 8, 9]],
  ['learner: { interventions: { leaveOutBeforeSteps: 2 } }', [3, 6, 7, 8, 9]],
])('%s', (yaml, rewards) => {
  expect(drawnWith(yaml)).toEqual(rewards);
});
