import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { copyTransition, createTransition, Rng, type Transition } from '../../core/index.ts';
import { createDemonstrator } from '../setup.ts';
import { createSimulatedRobot, type SimulatedRobot } from './simulated-robot.ts';

const setup = arm6Setup();

describe('the simulated robot', () => {
  let robot: SimulatedRobot;

  beforeAll(async () => {
    robot = await createSimulatedRobot(setup);
  });

  afterAll(() => robot.close());

  async function episode(seed: number, onStep: (t: Transition) => void = () => undefined) {
    const layout = setup.task.drawLayout(new Rng(seed));
    const result = await robot.runner.run({
      layout,
      operator: createDemonstrator(setup, seed),
      purpose: 'demo',
      onStep,
    });
    return { layout, result };
  }

  it('is brought to insert the peg by the scripted operator nearly always, and breaks no limit', async () => {
    let successes = 0;
    for (let seed = 0; seed < 40; seed++) {
      const { result } = await episode(seed);
      expect(result.abortedBy).toBeUndefined();
      if (result.success) successes++;
    }
    expect(successes).toBeGreaterThanOrEqual(34);
    expect(robot.link.latest.violations).toBe(0);
  }, 120_000);

  it('keeps the error of the estimate for a whole episode', async () => {
    const seen = new Set<string>();
    const { layout } = await episode(100, () => seen.add(`${robot.link.latest.robot.signals.slice(1)}`));
    const { holeXM, holeYM, holeZM, holeYawRad } = layout.signals;
    expect([...seen]).toEqual([`${[holeXM, holeYM, holeZM, holeYawRad]}`]);
  });

  it('repeats an episode bit by bit, whatever happened before', async () => {
    const record = async (): Promise<Transition[]> => {
      const steps: Transition[] = [];
      await episode(101, (t) => {
        const copy = createTransition(t.observation.length, t.executed.length);
        copyTransition(copy, t);
        steps.push({ ...copy, episode: 0, segment: 0 });
      });
      return steps;
    };
    const before = await record();
    await episode(102);
    expect(await record()).toEqual(before);
  });

  it('rewards the last step of a success and no other', async () => {
    const rewards: number[] = [];
    const { result } = await episode(103, (t) => void rewards.push(t.reward));
    expect(result.success).toBe(true);
    expect(rewards.at(-1)).toBe(1);
    expect(rewards.slice(0, -1).every((reward) => reward === 0)).toBe(true);
  });
});
