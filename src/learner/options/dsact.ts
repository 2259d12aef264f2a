/**
 * Settings of DSAC-T: Duan et al., https://arxiv.org/abs/2310.05858. The numbers are those of the authors' code,
 * https://github.com/Jingliang-Duan/DSAC-v2, file dsac_v2.py.
 */
import { z } from 'zod';
import { group, num } from '../../schema/index.ts';

export const dsactSettings = group('What only the algorithm dsact reads.', {
  // ξ
  boundSpreads: num('1', { above: 0, max: 100 }, 'Mean spreads that a sample of the return may lie from Q.').default(3),
  // τ_b
  spreadRate: num('1', { above: 0, max: 1 }, 'Share by which the mean spread moves per update.').default(0.005),
  // δ of Huber's function
  huberDelta: num('valueScale', { above: 0, max: 1e6 }, 'Errors beyond this count linearly.').default(50),
  // ε, in units of `valueScale` or of its square
  bias: num('valueScale', { above: 0, max: 1e3 }, 'Keeps divisions by a small spread finite.').default(0.1),
  // ω = b²/(σ² + ε) stays between these.
  minWeight: num('1', { above: 0, max: 1 }, 'Smallest weight of the critic loss.').default(0.1),
  maxWeight: num('1', { min: 1, max: 1e3 }, 'Largest weight of the critic loss.').default(10),
  // 1 as published, which suits returns of 10 to 1000.
  valueScale: num(
    'return',
    { min: 0, max: 1e6 },
    'What huberDelta and bias are multiples of; 0 for the mean spread, which makes learning independent of the scale of the reward.',
  ).default(1),
  // Huber's function is ½x² near 0: counted once in the spread's gradient, as in the authors' code, the spread converges to 1/√2
  // of the standard deviation; counted twice, to the standard deviation, as in their paper.
  huberCorrection: z
    .boolean()
    .meta({ description: 'Whether the spread settles at the standard deviation, and not at 1/√2 of it.' })
    .default(false),
});
