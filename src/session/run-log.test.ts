import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { createGuardFrame } from '../guard/link/frames.ts';
import { RUN_FILES } from '../record/index.ts';
import { createTransition, type Source } from '../rows/index.ts';
import { RunLog } from './run-log.ts';

const setup = arm6Setup();

describe("a run's log", () => {
  let folder: string;
  let log: RunLog;
  let shown: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rein-log-'));
    shown = 0;
    log = new RunLog(folder, 'run-1', setup, { status: () => void shown++, print: () => undefined });
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function lines(): Promise<Record<string, unknown>[]> {
    await log.close();
    const text = await readFile(join(folder, RUN_FILES.metrics), 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  function step(source: Source): void {
    log.step({ ...createTransition(1, 1), source, policyVersion: 4 }, undefined);
  }

  it('says who drives and how much of the last steps was not the policy', () => {
    for (let i = 0; i < 2000; i++) step(i % 4 === 0 ? 'scripted_correct' : 'policy');
    expect(log.status.intervention.stepShare).toBeGreaterThan(0.2);
    expect(log.status.intervention.stepShare).toBeLessThan(0.3);
    step('human_recover');
    expect(log.status.operator.driving).toBe('you');
    step('scripted_recover');
    expect(log.status.operator.driving).toBe('scripted operator');
    step('policy');
    expect(log.status.operator.driving).toBe('policy');
  });

  it('says that nobody drives where there is no policy that could', () => {
    const alone = (source: Source): void =>
      log.step({ ...createTransition(1, 1), source, policyVersion: 0 }, undefined);
    log.withoutPolicy();
    log.phase('running');
    expect(log.status.operator.driving).toBe('nobody');
    expect(log.status.policy.isAbsent).toBe(true);
    alone('human_correct');
    expect(log.status.operator.driving).toBe('you');
    alone('policy');
    expect(log.status.operator.driving).toBe('nobody');
    // Weights that arrive after all do drive.
    step('policy');
    log.show('now');
    expect([log.status.operator.driving, log.status.policy.isAbsent]).toEqual(['policy', undefined]);
  });

  it('says once that a check has turned bad, and writes down what its steps came to', async () => {
    log.begin(setup, { isRealTime: false, hasLearner: true, isFirstStart: true });
    for (let i = 0; i < 600; i++) {
      log.recorded({ ...createTransition(setup.observationSize, setup.actionSize), step: i % 80, cost: 1 });
    }
    log.show('now');
    const said = (): string[] => log.status.messages.filter((text) => text.startsWith('Filters change most actions:'));
    expect(said()).toEqual([expect.stringContaining(`What to do: rein why ${folder}`)]);
    log.show('now');
    expect(said()).toHaveLength(1);
    const blocks = (await lines()).filter(({ kind }) => kind === 'steps');
    expect(blocks.map(({ steps }) => steps)).toEqual([500, 100]);
  });

  it('keeps the newest messages', () => {
    for (let i = 0; i < 9; i++) log.message(`${i}`);
    expect(log.status.messages).toEqual(['5', '6', '7', '8']);
  });

  it('shows every phase at once and steps only now and then', () => {
    for (let i = 0; i < 1000; i++) step('policy');
    expect(shown).toBeLessThan(100);
    const before = shown;
    log.phase('evaluating');
    log.phase('done');
    expect(shown).toBe(before + 2);
  });

  it('writes episodes with the time, the step and the version, and histograms at the end', async () => {
    step('policy');
    log.status.envSteps = 12;
    const costs = { filterShare: 0.25, tankDrainJ: 3, marginMin: 0.5 };
    const counts = { success: true, steps: 12, interventions: 1, interventionSteps: 5 };
    log.episode('training', 3, { ...counts, returnSum: -1.5, isDecided: true, costs });
    log.inferenceMs.add(0.1);
    const written = await lines();
    expect(written[0]).toMatchObject({
      kind: 'episode',
      purpose: 'training',
      episode: 3,
      success: true,
      // Its return, not its success.
      returnSum: -1.5,
      interventions: 1,
      interventionSteps: 5,
      ...costs,
      policyVersion: 4,
      envStep: 12,
      tS: expect.any(Number),
    });
    expect(written.filter(({ kind }) => kind === 'histogram').map(({ name }) => name)).toEqual(['inferenceMs']);
  });

  it('counts the ticks in which each stage of the filter acted', async () => {
    const frame = createGuardFrame(1, 0, 1);
    const tick = (bits: number, marginMin: number, clearanceM: number): void => {
      frame.ticks++;
      if (bits !== 0) frame.changedTicks++;
      if (bits !== 0) frame.stageTicks[3]!++;
      frame.stageMargins[3] = marginMin;
      Object.assign(frame, { tankEnergyJ: 7 * marginMin, tankLevel: marginMin, tankInjectedJ: 10 - marginMin });
      log.tick(Object.assign(frame, { filterBits: bits, marginMin, clearanceM }));
    };
    for (const bits of [0, 1, 1, 3]) tick(bits, 0.5 - bits / 10, bits);
    log.counters(frame);
    tick(0, 0.75, 7);
    log.counters(frame);
    const [first, second] = (await lines()).filter(({ kind }) => kind === 'safety');
    expect(Object.values(first!['byReason'] as Record<string, number>).sort()).toEqual([1, 3]);
    expect(first).toMatchObject({ ticks: 4, changedTicks: 3, marginMin: 0.2, clearanceM: 0 });
    expect(first!['tank']).toEqual({ energyJ: 7 * 0.2, levelMin: 0.2, injectedJ: 9.8 });
    expect(first!['stages']).toMatchObject({
      limiter: { changedTicks: 3, marginMin: 0.2 },
      shield: { changedTicks: 0, marginMin: 1 },
    });
    // Least values since the previous record.
    expect(second).toMatchObject({
      ticks: 5,
      marginMin: 0.75,
      clearanceM: 7,
      stages: { limiter: { marginMin: 0.75 } },
    });
  });
});
