/** No monitored point of a bundled arm is faster than its limit, whatever is commanded; and the arm still gets on. */
import { describe, expect, it } from 'vitest';
import type { RobotModel } from '../../src/model/index.ts';
import { loadCheckSubject } from '../../src/robot-import/index.ts';
import { BROKEN_TOOL_SPEED } from '../../src/safety/index.ts';
import { PointSpeeds } from '../../src/safety-check/witness/point-speeds.ts';
import {
  ADVERSARIES,
  type Attack,
  type AttackResult,
  cartesianSpec,
  jointSpec,
  runAttack,
} from '../support/adversary.ts';
import { IS_LONG } from '../support/long.ts';

const LIMITS_M_PER_S = [0.25, 0.04];
/** Each attack; `REIN_TICKS` for the long run. */
const TICKS = Math.ceil(Number(process.env['REIN_TICKS'] ?? 4000) / 20);
const SLACK_M_PER_S = 1e-8;

const arms = await Promise.all(
  (IS_LONG ? ['arm6', 'arm7', 'so101', 'koch', 'viperx'] : ['arm6', 'so101']).map(
    async (name) => (await loadCheckSubject(name)).model,
  ),
);

/** The fastest that a point was by its Jacobian's differences at either end of any tick, m/s. */
function attacked(attack: Attack): AttackResult & { readonly fastestMPerS: number } {
  const speeds = new PointSpeeds(attack.watched ?? attack.model);
  let fastestMPerS = 0;
  const from = Float64Array.from(attack.model.homeRad);
  const result = runAttack(attack, ({ referenceRad, referenceVelocityRadPerS: v }) => {
    fastestMPerS = Math.max(fastestMPerS, speeds.atMPerS(referenceRad, v), speeds.atMPerS(from, v));
    from.set(referenceRad);
  });
  return { ...result, fastestMPerS };
}

function attacksOn(model: RobotModel): Attack[] {
  const spaces = [jointSpec(model, 0.1), cartesianSpec(0.02, 0.1)];
  return spaces.flatMap((action, space) =>
    ADVERSARIES.map((adversary, seed): Attack => {
      const jitter = seed % 2 === 0 ? 'wild' : 'none';
      return { model, action, adversary, seed: 7 * seed + space, ticks: TICKS, ticksPerStep: 1 + (seed % 3), jitter };
    }),
  );
}

/** The same arm, whose reference may lead by so much that the leash does not slow it. */
const unleashed = (model: RobotModel): RobotModel => ({ ...model, leashM: 0.2, leashRad: 1 });

describe.each(arms.map((model) => [model.name, unleashed(model)] as const))('%s', (_, model) => {
  it.each(LIMITS_M_PER_S)('keeps %d m/s at every monitored point, at either end of each tick', (limit) => {
    let fastest = 0;
    for (const attack of attacksOn({ ...model, toolSpeedMaxMPerS: limit })) {
      const result = attacked(attack);
      expect(result).toMatchObject({ violations: 0, broken: 0 });
      expect(result.fastestMPerS).toBeLessThanOrEqual(limit + SLACK_M_PER_S);
      fastest = Math.max(fastest, result.fastestMPerS);
    }
    // It is a limit and not a standstill.
    expect(fastest).toBeGreaterThan(0.5 * limit);
  });

  it('is seen to break it by the monitor where the chain knows of no limit', () => {
    const watched = { ...model, toolSpeedMaxMPerS: 0.1 };
    const [attack] = attacksOn(model).filter(({ adversary }) => adversary === 'pushing');
    expect(runAttack({ ...attack!, watched }).broken).toBe(BROKEN_TOOL_SPEED);
  });
});
