/** Losses computed by hand. Those with a page of their own are in the tests beside them. */
import { describe, expect, it } from 'vitest';
import { gradients } from '../engine/autodiff.ts';
import { Graph, type Tensor } from '../engine/graph.ts';
import { Bindings, Session } from '../engine/session.ts';
import { reduceSum } from '../ops/shape.ts';
import { cloningLoss, meanOfChosen } from './bc.ts';
import { meanSpread } from './dsact.ts';
import { graspLoss, graspTarget } from './hil-serl.ts';
import { costTarget, lagrangian } from './passive.ts';
import { correctionSize } from './residual.ts';
import { actorLoss, criticLoss, criticTarget, entropyOf, temperatureLoss } from './sac.ts';
import { saturation } from './td3.ts';

/** Results of `build`, each of one element. */
async function numbersOf<K extends string>(
  build: (g: Graph) => Readonly<Record<K, Tensor>>,
): Promise<Record<K, number>> {
  const g = new Graph('golden', 'float64');
  for (const [name, tensor] of Object.entries<Tensor>(build(g))) g.output(name, tensor);
  const session = await Session.create(g.serialize());
  const result = await session.evaluate(new Bindings());
  await session.close();
  return Object.fromEntries(Object.entries(result).map(([name, { data }]) => [name, Number(data[0])])) as Record<
    K,
    number
  >;
}

const column = (g: Graph, values: readonly number[]) => g.constant(values, [values.length, 1]);

describe('by hand', () => {
  it('critics: the mean square over critics and rows', async () => {
    // Errors 1, 0 of the first critic and −1, 4 of the second.
    const { loss, absoluteError } = await numbersOf((g) =>
      criticLoss(g.constant([3, 5, 1, 9], [2, 2, 1]), column(g, [2, 5])),
    );
    expect(loss).toBeCloseTo(18 / 4, 12);
    expect(absoluteError).toBeCloseTo(6 / 4, 12);
  });

  it.each([
    ['mean', 0.5 * -0.5 - 4.5],
    // The least of 3 and 1, of 5 and 9.
    ['min', 0.5 * -0.5 - 3],
  ] as const)('the actor: α·log π less the %s of the critics', async (aggregation, expected) => {
    const { loss } = await numbersOf((g) =>
      actorLoss(column(g, [-2, 1]), g.constant([3, 5, 1, 9], [2, 2, 1]), g.constant([0.5], [1]), aggregation),
    );
    expect(loss).toBeCloseTo(expected, 12);
  });

  it('the temperature: α times how far the entropy is above what is aimed at', async () => {
    const { entropy, loss } = await numbersOf((g) => {
      const entropy = entropyOf(column(g, [-3, 1]));
      return { entropy, loss: temperatureLoss(g.constant([Math.log(0.2)], [1]), entropy, -2) };
    });
    expect(entropy).toBeCloseTo(1, 12);
    expect(loss).toBeCloseTo(0.2 * 3, 12);
  });

  it('cloning: the mean square over numbers, then over the rows that were chosen; 0 of none', async () => {
    const means = (g: Graph) => g.constant([Math.atanh(0.5), 0, 0, 0], [2, 2]);
    const actions = (g: Graph) => g.constant([0.1, 0.2, 1, 1], [2, 2]);
    const { all, first, none } = await numbersOf((g) => ({
      all: cloningLoss(means(g), actions(g)),
      first: cloningLoss(means(g), actions(g), column(g, [1, 0])),
      none: meanOfChosen(column(g, [7, 9]), column(g, [0, 0])),
    }));
    // (0.16 + 0.04) / 2 and 1.
    expect(all).toBeCloseTo(0.55, 12);
    expect(first).toBeCloseTo(0.1, 12);
    expect(none).toBe(0);
  });

  it("TD3's cost of saturation and the residual's penalty: per number, and per action", async () => {
    const x = (g: Graph) => g.constant([1, 2, 0, 3], [2, 2]);
    const { perNumber, perAction } = await numbersOf((g) => ({
      perNumber: saturation(x(g)),
      perAction: correctionSize(x(g)),
    }));
    expect(perNumber).toBeCloseTo(14 / 4, 12);
    expect(perAction).toBeCloseTo(14 / 2, 12);
  });

  it("HIL-SERL's grippers: the square error of the command that was given", async () => {
    const { loss } = await numbersOf((g) => ({
      loss: graspLoss(
        g.constant([5, 1, 0, 2, 9, 4], [2, 3]),
        g.constant([0, 1, 0, 1, 0, 0], [2, 3]),
        column(g, [3, 1]),
      ),
    }));
    expect(loss).toBeCloseTo((4 + 1) / 2, 12);
  });
});

describe('what is held fixed', () => {
  const g = new Graph('held', 'float64');
  // Inputs, as equal constants are one tensor.
  let count = 0;
  const input = (shape: readonly number[]) => g.input(`x${count++}`, [...shape]);
  const one = () => input([1, 1]);
  const values = () => input([2, 1, 1]);
  const [next, nextSlow] = [input([1, 3]), input([1, 3])];
  const [a, b, future] = [one(), one(), values()];
  const cases: readonly [string, Tensor, readonly Tensor[]][] = [
    ['the target', criticTarget(one(), one(), future, { temperature: a, logProbability: b }), [future, a, b]],
    ['the target of costs', costTarget(one(), one(), future), [future]],
    ['the target of grippers', graspTarget(one(), one(), one(), next, nextSlow), [next, nextSlow]],
    ['the running mean of the spread', reduceSum(meanSpread(input([2]), future, 0.1)), [future]],
    ['the actor, to α', actorLoss(one(), values(), a, 'mean').loss, [a]],
    ['the temperature, to the entropy', temperatureLoss(one(), b, -1), [b]],
    ['the Lagrangian, to its multiplier', lagrangian(one(), values(), a), [a]],
  ];
  it.each(cases)('%s hands no gradient on', (_, result, inputs) => {
    for (const held of inputs) expect(() => gradients(result, [held])).toThrow('does not depend on');
  });
});
