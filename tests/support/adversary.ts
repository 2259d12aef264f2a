/** Policies that try to break the safety chain, and the loop that lets them. */
import { type ActionSpec, jointActionUnit, Rng, type RobotModel } from '../../src/model/index.ts';
import { type ActionCommand, createRobotState } from '../../src/rows/index.ts';
import { type ChainReport, createChainReport } from '../../src/safety/chain-report.ts';
import { LimitMonitor, SafetyChain } from '../../src/safety/index.ts';
import { times } from './times.ts';

export const ADVERSARIES = ['uniform', 'bangBang', 'alternating', 'pushing', 'poison', 'dropOuts'] as const;
export type Adversary = (typeof ADVERSARIES)[number];

const POISON = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, -1e308, 5e-324, -0];

export interface Attack {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  readonly adversary: Adversary;
  readonly seed: number;
  readonly ticks: number;
  /** Ticks between commands. */
  readonly ticksPerStep: number;
  /** Where the axes of a base stand at the start: it has driven far. Default: the home pose. */
  readonly startRad?: readonly number[];
  /** What the monitor goes by, where that is more than the chain knows of. Default: the same. */
  readonly watched?: RobotModel;
  /** Measured periods range over [0, 5T] instead of being T. */
  readonly jitter: 'none' | 'wild';
}

export interface AttackResult {
  readonly violations: number;
  /** All kinds of violation seen, as the monitor's bits. */
  readonly broken: number;
  /** All reasons that the chain gave. */
  readonly bits: number;
  readonly changedTicks: number;
  /** How far the reference travelled, rad: an arm that never moves is safe but useless. */
  readonly travelRad: number;
  readonly reseeds: number;
}

export function cartesianSpec(scaleM: number, scaleRad: number): ActionSpec {
  const dimensions = (['x', 'y', 'z'] as const).map((name) => ({ name, scale: scaleM, unit: 'm' as const }));
  return { kind: 'cartesian', dimensions: [...dimensions, { name: 'yaw', scale: scaleRad, unit: 'rad' }] };
}

export function jointSpec(model: RobotModel, scaleRad: number): ActionSpec {
  const dimensions = model.joints.map((joint) => {
    return { name: joint.name, scale: scaleRad, unit: jointActionUnit(joint) };
  });
  return { kind: 'joint', dimensions };
}

/** Runs one attack; the measured joints follow the reference with a lag and noise. */
export function runAttack(attack: Attack, onTick?: (chain: SafetyChain, report: ChainReport) => void): AttackResult {
  const { model, ticksPerStep } = attack;
  const rng = new Rng(attack.seed);
  const n = model.joints.length;
  const periodS = 1 / model.controlHz;
  const chain = new SafetyChain({
    model,
    action: attack.action,
    policyPeriodS: ticksPerStep * periodS,
    handoverS: 0.1,
  });
  const monitor = new LimitMonitor(attack.watched ?? model);
  const state = createRobotState(n, 0);
  const report = createChainReport();
  const command = createCommand(attack.action.dimensions.length, ticksPerStep * periodS * 1.5);
  const direction = new Float64Array(command.action.length);
  state.positionRad.set(attack.startRad ?? model.homeRad);
  chain.seed(state.positionRad);
  monitor.restart(chain.referenceRad);
  const total = { broken: 0, bits: 0, changedTicks: 0, travelRad: 0, reseeds: 0 };
  let nowS = 0;
  for (let tick = 0; tick < attack.ticks; tick++) {
    if (tick % ticksPerStep === 0) decide(attack.adversary, command, direction, rng, nowS);
    const isSilent = attack.adversary === 'dropOuts' && rng.uniform() < 0.02;
    const dtS = attack.jitter === 'none' ? periodS : wildPeriodS(rng, periodS);
    chain.apply(isSilent ? null : command, state, times(dtS, nowS), report);
    total.broken |= monitor.check(chain.referenceRad, dtS, state.positionRad);
    total.bits |= report.bits;
    if (report.changed) total.changedTicks++;
    for (let i = 0; i < n; i++) {
      total.travelRad += Math.abs(chain.referenceVelocityRadPerS[i]!) * periodS;
      state.positionRad[i] = state.positionRad[i]! + 0.4 * (chain.referenceRad[i]! - state.positionRad[i]!);
    }
    onTick?.(chain, report);
    nowS += Math.max(0, dtS);
    if (report.isStopLatched && rng.uniform() < 0.05) {
      chain.seed(chain.referenceRad);
      monitor.restart(chain.referenceRad);
      total.reseeds++;
    }
  }
  return { ...total, violations: monitor.violations };
}

export function createCommand(actionSize: number, leaseS: number): ActionCommand {
  const action = new Float64Array(actionSize);
  return { seq: 0, decider: 'policy', issuedAtS: 0, leaseS, policyVersion: 0, policyRun: 0, action };
}

function decide(kind: Adversary, command: ActionCommand, direction: Float64Array, rng: Rng, nowS: number): void {
  command.seq++;
  command.issuedAtS = nowS;
  if (rng.uniform() < 0.02) command.decider = command.decider === 'policy' ? 'human' : 'policy';
  const isPoisoned = kind === 'poison' && rng.uniform() < 0.1;
  if (rng.uniform() < 0.03) for (let i = 0; i < direction.length; i++) direction[i] = Math.sign(rng.uniformIn(-1, 1));
  for (let i = 0; i < command.action.length; i++) {
    const uniform = rng.uniformIn(-1, 1);
    if (kind === 'uniform') command.action[i] = uniform;
    else if (kind === 'bangBang') command.action[i] = Math.sign(uniform);
    else if (kind === 'alternating') command.action[i] = command.seq % 2 === 0 ? 1 : -1;
    else command.action[i] = direction[i]! || 1;
    if (isPoisoned && rng.uniform() < 0.5) command.action[i] = POISON[rng.int(POISON.length)]!;
  }
}

function wildPeriodS(rng: Rng, periodS: number): number {
  const draw = rng.uniform();
  if (draw < 0.05) return 0;
  return draw < 0.1 ? 5 * periodS * rng.uniform() : periodS * rng.uniformIn(0.4, 2.5);
}
