import { describe, expect, it } from 'vitest';
import { gradientError } from '../../../tests/support/learner/gradient-check.ts';
import { callOnce, type OneCall } from '../../../tests/support/learner/one-call.ts';
import {
  type Net,
  netOf,
  noMoments,
  numericGradient,
  plainAdam,
  plainDense,
  worstDifference,
} from '../../../tests/support/learner/plain-reference.ts';
import { mean, Rng } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { createAgent } from '../agent/agent.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { stateParts } from '../update/state.ts';
import { bestCommand, chosenCommand, graspLoss, graspTarget, hilSerl, togglePenalty } from './hil-serl.ts';
import { sac } from './sac.ts';

/** The numbers of one output of a graph without inputs. */
async function evaluated(build: (g: Graph) => Tensor): Promise<number[]> {
  const g = new Graph('golden', 'float64');
  g.output('y', build(g));
  const session = await Session.create(g.serialize());
  const { y } = await session.evaluate(new Bindings());
  await session.close();
  return Array.from(y!.data, Number);
}

const settings = { ...DEFAULT_LEARNER_CONFIG.hilSerl, gripperObservations: [1], openAbove: 0 };

describe('the gripper of HIL-SERL', () => {
  it('pays for turning round and for nothing else', async () => {
    // Closing an open one, closing a closed one, opening each, holding each, a number too small to be a command.
    const command = [-1, -1, 1, 1, 0, 0, -0.5];
    const place = [0.04, -0.04, 0.04, -0.04, 0.04, -0.04, 0.04];
    const penalty = await evaluated((g) =>
      togglePenalty(g.constant(command, [7, 1]), g.constant(place, [7, 1]), settings),
    );
    expect(penalty).toEqual([0.02, 0, 0, 0.02, 0, 0, 0]);
  });

  it('pays for each of two grippers', async () => {
    const penalty = await evaluated((g) =>
      togglePenalty(g.constant([-1, -1, 1, -1], [2, 2]), g.constant([1, 1, 1, 1], [2, 2]), settings),
    );
    expect(penalty).toEqual([0.04, 0.02]);
  });

  it("takes a person's 0.93 for a whole command, as the robot does", async () => {
    // Truncating the decimals, as the published code does, would make it a hold.
    const chosen = await evaluated((g) => chosenCommand(g.constant([0.93, -0.93, 0.3, -0.3], [4, 1]), 0.5));
    expect(chosen).toEqual([0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0]);
  });

  it('has nine joint commands with two arms, numbered 3·g₁ + g₂, and finds back from each', async () => {
    const all = Array.from({ length: 9 }, (_, i) => [Math.floor(i / 3) - 1, (i % 3) - 1]);
    const chosen = await evaluated((g) => chosenCommand(g.constant(all.flat(), [9, 2]), 0.5));
    expect(chosen).toEqual(Array.from({ length: 81 }, (_, i) => (i % 10 === 0 ? 1 : 0)));
    const found = await evaluated((g) => bestCommand(g.constant(chosen, [9, 9])));
    expect(found).toEqual(all.flat());
  });

  it('is worth what the slow critic says of the command that the online one prefers', async () => {
    const y = await evaluated((g) =>
      graspTarget(
        g.constant([1, 1], [2, 1]),
        g.constant([0.02, 0], [2, 1]),
        g.constant([0.9, 0], [2, 1]),
        g.constant([0, 5, 1, 0, 5, 1], [2, 3]),
        g.constant([7, 3, 9, 7, 3, 9], [2, 3]),
      ),
    );
    // Not 0.9·9, and nothing where the task ended.
    expect(y[0]).toBeCloseTo(1 - 0.02 + 0.9 * 3, 12);
    expect(y[1]).toBe(1);
  });

  it('learns by the gradient of its loss', async () => {
    const build = ([values]: readonly Tensor[], g: Graph) =>
      graspLoss(values!, chosenCommand(g.constant([1, 0, -1, 1], [4, 1]), 0.5), g.constant([1, 2, 3, 4], [4, 1]));
    expect(await gradientError([{ shape: [4, 3] }], new Rng(3), build)).toBeLessThan(1e-6);
  });
});

const [B, O, A] = [4, 3, 3];
const config: LearnerConfig = {
  ...DEFAULT_LEARNER_CONFIG,
  criticOnlySteps: 0,
  algorithm: 'hil-serl',
  batchSize: B,
  actorHidden: [4],
  criticHidden: [5],
  layerNorm: false,
  learningRateCritic: 0.05,
  hilSerl: { ...settings, togglePenalty: 0.5 },
};
const spec: LearnerSpec = { parts: { stateSize: O }, actionSize: A, config };
/** Gripper commands of the four rows of each update; the second and the last reverse an open or closed gripper. */
const COMMANDS = [1, -1, 0, 1];
const PLACES = [1, 1, -1, -1];
const TURNS = [0, 1, 0, 1];

async function oneCall(updates: number): Promise<OneCall> {
  const rng = new Rng(5);
  const rows = Array.from({ length: updates * B }, (_, i) => i % B);
  return callOnce(hilSerl, spec, hilSerl.update, updates, new Rng(11), {
    action: rows.flatMap((b) => [Math.tanh(rng.normal()), Math.tanh(rng.normal()), COMMANDS[b]!]),
    observation: rows.flatMap((b) => [rng.normal(), PLACES[b]!, rng.normal()]),
  });
}

const graspLayout = hilSerl.networks(spec).find(({ name }) => name === 'grasp')!.layout;

function graspValues(net: Net, s: readonly number[]): number[] {
  const h = plainDense(net, 'hidden0', s).map((x) => Math.max(0, x));
  return plainDense(net, 'value', h);
}

describe('one whole call of HIL-SERL', () => {
  it.each([1, 4])("has the penalty in the gripper's loss at %d updates a call", async (updates) => {
    const { state, inputs, after, metric } = await oneCall(updates);
    const [grasp, target] = [state['grasp']!.slice(), state['grasp_target']!.slice()];
    const moments = noMoments(grasp.length);
    const row = (name: string, width: number, k: number, b: number) =>
      Array.from(inputs[name]!.subarray((k * B + b) * width, (k * B + b + 1) * width));
    for (let k = 0; k < updates; k++) {
      const y = COMMANDS.map((_, b) => {
        const s2 = row('next_observation', O, k, b);
        const online = graspValues(netOf(grasp, graspLayout), s2);
        const slow = graspValues(netOf(target, graspLayout), s2)[online.indexOf(Math.max(...online))]!;
        return inputs['reward']![k * B + b]! - 0.5 * TURNS[b]! + inputs['discount']![k * B + b]! * slow;
      });
      const loss = () =>
        mean(
          COMMANDS.map(
            (g, b) => (graspValues(netOf(grasp, graspLayout), row('observation', O, k, b))[g + 1]! - y[b]!) ** 2,
          ),
        );
      expect(metric('graspLoss', k)).toBeCloseTo(loss(), 6);
      expect(metric('togglePenalty', k)).toBeCloseTo(0.25, 12);
      plainAdam(grasp, moments, numericGradient(grasp, loss), k + 1, { rate: config.learningRateCritic });
      target.forEach((value, i) => {
        target[i] = value + config.targetRate * (grasp[i]! - value);
      });
    }
    expect(worstDifference(after('grasp'), grasp)).toBeLessThan(5e-6);
    expect(worstDifference(after('grasp_target'), target)).toBeLessThan(5e-6);
  });

  it('is SAC of the continuous numbers beside that: actor, critics, and a temperature whose H* leaves the gripper out', async () => {
    const both = await oneCall(2);
    const alone = { ...spec, actionSize: A - 1 };
    const action = Array.from(both.inputs['action']!).filter((_, i) => i % A < A - 1);
    const same = Object.fromEntries(Object.entries(both.inputs).map(([name, values]) => [name, Array.from(values)]));
    const plain = await callOnce(sac, alone, sac.update, 2, new Rng(11), { ...same, action });
    for (const part of ['actor', 'critic', 'critic_target', 'temperature']) {
      expect(plain.state[part]).toEqual(both.state[part]);
      expect(worstDifference(both.after(part), Array.from(plain.after(part), Number))).toBeLessThan(1e-12);
    }
  });
});

describe('the policy of HIL-SERL', () => {
  it('explores with its continuous numbers, never with its gripper, and does not need to see what critics see', async () => {
    const parts = { stateSize: O, privilegedSize: 2 };
    const agent = await createAgent({ parts, actionSize: A, config, seed: 3 });
    const session = await Session.create(await agent.exportPolicy());
    const act = async (noise: number) => {
      const bindings = new Bindings();
      bindings.set('observation', Float32Array.of(0.3, -1, 0.5), [1, O]);
      bindings.set('noise', Float32Array.of(noise, noise), [1, A - 1]);
      return Array.from((await session.evaluate(bindings))['action']!.data, Number);
    };
    const [still, moved] = [await act(0), await act(1.5)];
    expect([-1, 0, 1]).toContain(still[2]);
    expect(moved[2]).toBe(still[2]);
    expect(moved[0]).not.toBe(still[0]);
    expect(await act(0)).toEqual(still);
    await session.close();
    await agent.close();
  });

  it('learns which command pays, and not to turn the gripper round where none does', async () => {
    // r = 1 for opening where s > 0.5, for closing where s < −0.5; the gripper is open.
    const best = (s: number) => (s > 0.5 ? 1 : s < -0.5 ? -1 : 0);
    const replay = new Replay(2, 2, 1000);
    const rng = new Rng(4);
    for (let i = 0; i < 900; i++) {
      const t = createTransition(2, 2);
      t.observation.set([rng.uniformIn(-1, 1), 1]);
      t.executed.set([rng.uniformIn(-1, 1), rng.uniformIn(-1, 1)]);
      const command = t.executed[1]! > 0.5 ? 1 : t.executed[1]! < -0.5 ? -1 : 0;
      t.reward = command !== 0 && command === best(t.observation[0]!) ? 1 : 0;
      t.terminated = true;
      replay.add(t);
    }
    const learner: LearnerConfig = {
      ...config,
      actorHidden: [16],
      criticHidden: [32],
      layerNorm: true,
      batchSize: 64,
      utd: 4,
      demoFraction: 0,
      learningRateCritic: 0.01,
      bcInitSteps: 0,
      hilSerl: { ...settings, togglePenalty: 0.3 },
    };
    const agent = await createAgent({ parts: { stateSize: 2 }, actionSize: 2, config: learner, seed: 1 });
    for (let i = 0; i < 60; i++) await agent.update(replay, 900);
    const session = await Session.create(await agent.exportPolicy());
    const commandAt = async (s: number) => {
      const bindings = new Bindings();
      bindings.set('observation', Float32Array.of(s, 1), [1, 2]);
      bindings.set('noise', new Float32Array(1), [1, 1]);
      return Number((await session.evaluate(bindings))['action']!.data[1]);
    };
    expect([await commandAt(0.8), await commandAt(-0.8)]).toEqual([1, -1]);
    expect(await commandAt(0)).not.toBe(-1);
    await session.close();
    await agent.close();
  });

  it('sees through the encoder of images, whose slow copy the targets use', async () => {
    const parts = { stateSize: 2, image: { channels: 1, height: 6, width: 6 } };
    const replay = new Replay(38, A, 100);
    const rng = new Rng(6);
    for (let i = 0; i < 40; i++) {
      const t = createTransition(38, A);
      for (const values of [t.observation, t.nextObservation]) for (let j = 0; j < 38; j++) values[j] = rng.uniform();
      t.executed.set([rng.uniformIn(-1, 1), rng.uniformIn(-1, 1), rng.uniformIn(-1, 1)]);
      replay.add(t);
    }
    const learner = {
      ...config,
      encoder: { ...config.encoder, channels: [2], latent: 4, cropPadding: 1 },
      bcInitSteps: 0,
      utd: 1,
      learningRateCritic: 1e-30,
    };
    const agent = await createAgent({ parts, actionSize: A, config: learner, seed: 1 });
    expect((await agent.actorWeights()).shapes.map(({ name }) => name)).toContain('encoder.conv0.kernel');
    const begin = await agent.snapshot();
    const { isRefused, values } = await agent.update(replay, 40);
    expect(isRefused).toBe(false);
    expect(values['graspLoss']).toBeGreaterThan(0);
    // The slow copy is the last part of the state; nothing else learns here in time to change the loss.
    expect(stateParts(agent.algorithm, agent.spec).at(-1)!.name).toBe('encoder_target');
    const [size] = stateParts(agent.algorithm, agent.spec).at(-1)!.shape;
    await agent.restore({ ...begin, state: begin.state.map((x, i) => (i < begin.state.length - size! ? x : -2 * x)) });
    expect((await agent.update(replay, 40)).values['graspLoss']).not.toBe(values['graspLoss']);
    await agent.close();
  });

  it('says which gripper the observation does not have, and that something must be left to move', () => {
    const reported = (gripperObservations: number[]) =>
      hilSerl.unfit!({ ...spec, config: { ...config, hilSerl: { ...settings, gripperObservations } } });
    expect(reported([3])).toBe("hilSerl.gripperObservations has the index 3, the observation's state has 3 numbers");
    expect(reported([0, 1, 2])).toMatch("3 of the action's 3 numbers grippers; one at least must be left");
    expect(reported([0, 1])).toBeUndefined();
  });
});
