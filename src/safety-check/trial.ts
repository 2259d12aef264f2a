/** One trial: an attacker, the chain (or what is left of it) and a simulated robot in closed loop, with independent witnesses. */
import { type ActionSpec, allFinite, clamp, isFree, limitMarginOf, type Rng, type RobotModel } from '../model/index.ts';
import { type ActionCommand, createRobotState, type RobotState } from '../rows/index.ts';
import { type ChainReport, createChainReport, type StageName } from '../safety/chain-report.ts';
import { type ChainTrial, createTickTimes, NOW, PASSED, SafetyChain, type TickTimes } from '../safety/index.ts';
import { Attacker } from './attack/attacker.ts';
import type { Genome } from './attack/genome.ts';
import { actionSpecOf, type TrialPlan } from './attack/plan.ts';
import { type Mover, NaiveMover } from './mover.ts';
import { type CheckedPlant, JointSensor, readingDelay, SENSOR_NOISES, wallSide } from './plants.ts';
import type { TrialName } from './result.ts';
import { createOutcome, energyToleranceJ, TraceRecorder, type TrialOutcome } from './trial-outcome.ts';
import { EnergyLedger } from './witness/energy-ledger.ts';
import { SagWatch } from './witness/sag-watch.ts';
import { StopWatch } from './witness/stop-watch.ts';
import { ArmWitness, Witness } from './witness/witness.ts';

/** Longest lease of a command, s (fault table, row 2). */
const LEASE_MAX_S = 0.1;
/** As in the sanitizer: commands more than this from the future are invalid, s. */
const FUTURE_S = 0.01;
/** Tolerance by which a tank may be below its floor, J. */
const FLOOR_ROUNDING_J = 1e-6;
/** Distance from which a first target may not be followed, rad. */
const FAR_RAD = 0.1 + 1e-6;

/** Setting of a trial. */
export interface TrialSetting {
  readonly model: RobotModel;
  readonly chain: 'on' | 'off';
  readonly without: readonly StageName[];
  readonly seed: number;
  readonly plant: CheckedPlant;
  /** True if the plant has masses: else its energy is meaningless. */
  readonly hasEnergy: boolean;
  readonly naturalHz: readonly number[];
  /** Largest distance outside its box at which the arm may stand, m; absent: not checked. */
  readonly sagMaxM?: number | undefined;
}

/** Returns the lease of a trial's commands, s. */
export function leaseOf(policyPeriodS: number): number {
  return Math.min(LEASE_MAX_S, 1.5 * policyPeriodS);
}

/** State of one trial. */
export class TrialRun {
  readonly #setting: TrialSetting;
  readonly #plan: TrialPlan;
  readonly #rng: Rng;
  readonly #action: ActionSpec;
  readonly #attacker: Attacker;
  readonly #sensor: JointSensor;
  readonly #mover: Mover;
  readonly #times: TickTimes = createTickTimes();
  readonly #witness: Witness;
  readonly #arm: ArmWitness;
  readonly #sag: SagWatch;
  readonly #ledger: EnergyLedger;
  readonly #stops: StopWatch | undefined;
  readonly #trace: TraceRecorder;
  readonly #state: RobotState;
  readonly #report: ChainReport = createChainReport();
  readonly #out: TrialOutcome;
  readonly #periodS: number;
  readonly #leaseS: number;
  readonly #poison: ActionCommand;
  /** Copy of the newest command, which ages in place when its sender falls silent. */
  readonly #sent: ActionCommand;
  /** True once `Mover.apply` has seen a command near enough to begin with. */
  #hasStarted = false;

  constructor(setting: TrialSetting, plan: TrialPlan, name: TrialName, rng: Rng, genome: Genome | undefined) {
    const { model, plant } = setting;
    this.#setting = setting;
    this.#plan = plan;
    this.#rng = rng;
    this.#periodS = 1 / model.controlHz;
    const policyPeriodS = plan.ticksPerStep * this.#periodS;
    this.#leaseS = leaseOf(policyPeriodS);
    this.#action = actionSpecOf(model, plan);
    this.#attacker = new Attacker({
      model,
      action: this.#action,
      name: plan.adversary,
      rng,
      policyPeriodS,
      leaseS: this.#leaseS,
      naturalHz: setting.naturalHz,
      genome,
      isRaw: this.#isRaw,
      ...(plan.into === 'wall' && { heading: wallSide(model) }),
    });
    this.#sensor = sensorOf(model, plan, rng);
    this.#mover = this.#createMover(policyPeriodS);
    this.#witness = new Witness(model);
    this.#arm = new ArmWitness(model);
    this.#sag = new SagWatch(model, setting.sagMaxM ?? Number.POSITIVE_INFINITY);
    this.#ledger = new EnergyLedger(model, plant);
    this.#stops = plan.stops === 'none' ? undefined : new StopWatch(model, plan.stops, this.#leaseS);
    this.#trace = new TraceRecorder(name, plan.ticks / plan.attempts);
    this.#state = createRobotState(model.joints.length, 0);
    const { counts, least } = this.#witness;
    const witnesses = { counts, arm: this.#arm.counts, least };
    this.#out = createOutcome(name, witnesses, this.#stops?.samples ?? [], this.#trace.trace);
    const { command } = this.#attacker;
    this.#poison = { ...command, action: command.action.slice().fill(Number.NaN) };
    this.#sent = { ...command, action: command.action.slice() };
  }

  run(ticks: number): TrialOutcome {
    this.#begin();
    let nowS = 0;
    let dtS = this.#periodS;
    for (let tick = 0; tick < ticks; tick++) {
      this.#tick(tick, nowS, dtS);
      dtS = this.#plan.jitter === 'none' ? this.#periodS : wildPeriodS(this.#rng, this.#periodS);
      this.#pass(dtS);
      nowS += dtS;
    }
    const out = this.#out;
    out.simulatedS = nowS;
    return out;
  }

  #createMover(policyPeriodS: number): Mover {
    const { model, chain, without } = this.#setting;
    const action = this.#action;
    const wantedRadPerS = this.#isRaw ? this.#attacker.wantedRadPerS : undefined;
    if (chain === 'off') return new NaiveMover(model, action, wantedRadPerS);
    const trial: ChainTrial = { without, ...(wantedRadPerS && { wantedRadPerS }) };
    // A short hand-over, so that most of a trial runs at full acceleration.
    return new SafetyChain({ model, action, policyPeriodS, handoverS: 0.1, trial });
  }

  get #isRaw(): boolean {
    return this.#plan.adversary === 'rawVelocity' || this.#setting.without.includes('actionMap');
  }

  /** Starts at home, or at any pose that the chain accepts and that is clear of everything. */
  #begin(): void {
    const { model, plant } = this.#setting;
    const start = Float64Array.from(model.homeRad);
    const toss = this.#rng.uniform() < 0.5 ? 0 : this.#rng.uniform();
    // Other poses might be inside the wall.
    const spread = this.#plan.variant === 'wall' ? 0 : toss;
    let isTaken = false;
    for (let i = 0; i < 30 && spread > 0 && !isTaken; i++) {
      this.#drawPose(start, spread);
      isTaken = this.#mover.seed(start) === 'ok' && this.#isRoomy(start);
    }
    if (!isTaken) {
      start.set(model.homeRad);
      this.#mover.seed(start);
    }
    plant.reset(start);
    this.#sensor.restart(start);
    this.#witness.restart(start);
    this.#ledger.begin(this.#tankStartJ);
    this.#hasStarted = false;
  }

  #drawPose(out: Float64Array, spread: number): void {
    const { model } = this.#setting;
    for (const [i, joint] of model.joints.entries()) {
      if (isFree(joint)) continue;
      const margin = limitMarginOf(joint, model);
      const low = joint.positionMinRad + margin;
      const high = joint.positionMaxRad - margin;
      const reach = 0.5 * spread * Math.min(high - low, 4);
      out[i] = clamp(model.homeRad[i]! + this.#rng.uniformIn(-reach, reach), low, high);
    }
  }

  /** True if clear by the check's own computation; a chain that is off accepts any pose, so the witness checks the rest too. */
  #isRoomy(jointsRad: Float64Array): boolean {
    return this.#witness.isClear(jointsRad) && this.#witness.isInside(jointsRad);
  }

  get #tankStartJ(): number {
    return this.#setting.model.tank?.startJ ?? 0;
  }

  /** Content of the tank as the promise counts it: an unused tank is full. */
  get #tankJ(): number {
    const { chain, without } = this.#setting;
    return chain === 'off' || without.includes('tank') ? this.#tankStartJ : this.#report.tankEnergyJ;
  }

  #tick(tick: number, nowS: number, dtS: number): void {
    const { plant } = this.#setting;
    const attacker = this.#attacker;
    this.#sensor.read(this.#state.positionRad, plant.positionRad, plant.setPointRad);
    this.#state.velocityRadPerS.set(plant.velocityRadPerS);
    this.#state.measuredAtS = nowS;
    if (tick % this.#plan.ticksPerStep === 0) {
      attacker.decide(nowS, plant.positionRad, plant.velocityRadPerS);
    }
    attacker.tick(plant.velocityRadPerS);
    const command = this.#commandOf(nowS);
    const mayMove = command !== null && this.#isValid(command, nowS);
    const isFar = mayMove && this.#isFarStart(command);
    this.#times[NOW] = nowS;
    this.#times[PASSED] = dtS;
    this.#mover.apply(command, this.#state, this.#times, this.#report);
    this.#judge(nowS, dtS, mayMove, isFar);
    this.#reseed();
  }

  /** Returns the command sent in this tick: the attacker's, or the one of a stop under measurement. */
  #commandOf(nowS: number): ActionCommand | null {
    const attacker = this.#attacker;
    const stops = this.#stops;
    if (stops !== undefined && !stops.isOn && this.#witness.speedShare > 0.15 && this.#rng.uniform() < 0.04) {
      stops.begin(nowS, attacker.command.issuedAtS, this.#mover.referenceRad);
      this.#poison.seq = attacker.command.seq;
    }
    if (stops?.isOn) {
      if (stops.cause === 'silence') return this.#sent;
      this.#poison.seq++;
      this.#poison.issuedAtS = nowS;
      return this.#poison;
    }
    if (attacker.isSilent) return null;
    this.#copySent();
    return attacker.command;
  }

  #copySent(): void {
    const { action, ...rest } = this.#attacker.command;
    Object.assign(this.#sent, rest);
    this.#sent.action.set(action);
  }

  #isValid(command: ActionCommand, nowS: number): boolean {
    if (command.decider === 'hold' || !command.action.every(Number.isFinite)) return false;
    const ageS = nowS - command.issuedAtS;
    return Number.isFinite(command.seq) && ageS >= -FUTURE_S && ageS <= command.leaseS;
  }

  /** True for a first joint command to a target too far from the robot's pose. */
  #isFarStart(command: ActionCommand): boolean {
    if (this.#hasStarted || this.#plan.adversary !== 'farStart') return false;
    const { model } = this.#setting;
    for (const [k, { scale }] of this.#action.dimensions.entries()) {
      const joint = model.joints[k]!;
      const far = Math.min(Math.abs(scale * command.action[k]!), model.leashRad);
      const room = Math.min(
        this.#state.positionRad[k]! - joint.positionMinRad,
        joint.positionMaxRad - this.#state.positionRad[k]!,
      );
      if (!isFree(joint) && far > FAR_RAD && room > 2 * FAR_RAD) return true;
    }
    this.#hasStarted = true;
    return false;
  }

  #judge(nowS: number, dtS: number, mayMove: boolean, isFar: boolean): void {
    const { plant } = this.#setting;
    const witness = this.#witness;
    const out = this.#out;
    out.ticks++;
    this.#grant(dtS);
    if (!mayMove) out.idleTicks++;
    if (isFar) out.farStarts++;
    if (this.#report.changed) out.changedTicks++;
    for (let i = 0; i < out.stageTicks.length; i++) if (this.#report.stages[i]!.changed) out.stageTicks[i]!++;
    let isBroken = witness.check(this.#mover.referenceRad, plant.positionRad, dtS, mayMove);
    const speed = witness.speedShare;
    if (isFar && speed > 0) {
      witness.add('startJump', speed);
      isBroken = true;
    }
    if (this.#stops?.tick(nowS, this.#mover.referenceRad, speed, this.#follows(mayMove), plant.velocityRadPerS)) {
      witness.add('lateStop', 1);
      isBroken = true;
    }
    if (this.#touchesItself()) isBroken = true;
    out.marginMin = Math.min(out.marginMin, witness.margin);
    if (isBroken) out.violatedTicks++;
  }

  /** True if MuJoCo's own shapes overlap at the reference's pose, independent of the simulated arm. */
  #touchesItself(): boolean {
    const { referenceRad } = this.#mover;
    if (!this.#isNear || !allFinite(referenceRad)) return false;
    return this.#witness.checkContact(this.#setting.plant.distanceAtM(referenceRad));
  }

  /** True if the reference still follows a command; with the chain off, if it may. */
  #follows(mayMove: boolean): boolean {
    return this.#setting.chain === 'on' ? this.#report.isFollowing : mayMove;
  }

  /** Advances the plant; energy and distances are checked afterwards. */
  #pass(dtS: number): void {
    const { plant, hasEnergy, model } = this.#setting;
    const out = this.#out;
    if (!plant.step(this.#mover.sentRad, dtS)) {
      this.#restartPlant();
      return;
    }
    this.#arm.tick = out.ticks;
    if (hasEnergy) this.#arm.check(plant.positionRad, plant.velocityRadPerS);
    out.peakForceN = Math.max(out.peakForceN, plant.contactForceN());
    if (this.#isNear) this.#checkArmDistance();
    let isBroken = hasEnergy && this.#sagsTooFar(dtS);
    if (hasEnergy && model.tank !== undefined) isBroken = this.#checkEnergy() || isBroken;
    else if (hasEnergy) this.#ledger.kineticJ = plant.kineticJ();
    out.peakKineticJ = Math.max(out.peakKineticJ, this.#ledger.kineticJ);
    if (isBroken) out.violatedTicks++;
    this.#trace.add(this.#witness.margin, this.#tankJ, this.#report, this.#ledger.kineticJ, dtS);
  }

  /** True if the arm stands farther outside its box than it bends. An arm in contact may be held anywhere. */
  #sagsTooFar(dtS: number): boolean {
    const { plant } = this.#setting;
    const beyondM = this.#sag.beyondM(this.#arm.outsideM, plant.velocityRadPerS, dtS);
    if (beyondM === 0 || plant.contactForceN() > 0 || !this.#witness.isInside(this.#mover.referenceRad)) return false;
    this.#witness.add('sag', beyondM);
    return true;
  }

  /** Records how near the simulated arm, which lags behind its reference, came to touching. */
  #checkArmDistance(): void {
    const distanceM = this.#setting.plant.smallestDistanceM();
    const { least } = this.#witness;
    least.plantM = Math.min(least.plantM, distanceM);
    this.#arm.checkDistance(distanceM);
  }

  /** MuJoCo's distances cost as much as the chain: they are computed when they can matter, and now and then. */
  get #isNear(): boolean {
    if (this.#setting.model.collision === undefined) return false;
    return this.#witness.isNear || this.#out.ticks % 10 === 0;
  }

  /** Energy topped up so far, J. */
  #grantedJ = 0;

  /** A top-up is no surplus, up to the file's power for a tick of the chain's length. */
  #grant(dtS: number): void {
    const { tank } = this.#setting.model;
    const allowedJ = tank === undefined ? 0 : tank.topUpW * this.#witness.tickS(dtS);
    this.#grantedJ += Math.min(this.#report.tankToppedUpJ, allowedJ);
  }

  #checkEnergy(): boolean {
    const out = this.#out;
    const { tank } = this.#setting.model;
    const report = this.#report;
    const surplusJ = this.#ledger.check(this.#tankJ - this.#grantedJ);
    out.surplusMaxJ = Math.max(out.surplusMaxJ, surplusJ);
    out.tankMinJ = Math.min(out.tankMinJ, this.#tankJ);
    out.injectedJ += report.tankInjectedJ;
    out.creditedJ += report.tankCreditedJ;
    const missingJ = Math.max(
      surplusJ - energyToleranceJ(out.peakKineticJ),
      tank!.minJ - FLOOR_ROUNDING_J - this.#tankJ,
    );
    if (!(missingJ > 0)) return false;
    this.#witness.add('energy', missingJ);
    return true;
  }

  /** Restarts the robot after the sent set-points could not be simulated. */
  #restartPlant(): void {
    this.#out.plantFailures++;
    this.#setting.plant.reset(this.#setting.model.homeRad);
    this.#sensor.restart(this.#setting.model.homeRad);
    this.#mover.seed(this.#setting.model.homeRad);
    this.#witness.restart(this.#setting.model.homeRad);
    this.#ledger.begin(this.#tankStartJ);
    this.#hasStarted = false;
  }

  /**
   * After a latched stop, an operator restarts the robot from its present pose. Its torque stays on, so its energy
   * balance continues: energy credited later was dissipated before.
   */
  #reseed(): void {
    if (!this.#report.isStopLatched || this.#witness.speedShare > 0) return;
    if (this.#stops?.isOn || this.#rng.uniform() > 0.05) return;
    const { plant } = this.#setting;
    // The robot may lag behind outside the limits; the pose of its reference is inside. A refused seed moves the reference.
    const referenceRad = this.#mover.referenceRad.slice();
    if (this.#mover.seed(plant.positionRad, 'on') !== 'ok') this.#mover.seed(referenceRad, 'on');
    this.#witness.restart(this.#mover.referenceRad);
    this.#hasStarted = false;
  }
}

/** Every trial has encoders of one kind; in the delay variant, readings have their part of the tank's assumed delay. */
function sensorOf(model: RobotModel, plan: TrialPlan, rng: Rng): JointSensor {
  const ofSensor = rng.fork('sensor');
  const noise = SENSOR_NOISES[ofSensor.int(SENSOR_NOISES.length)]!;
  return new JointSensor(model, noise, ofSensor, plan.variant === 'delay' ? readingDelay(model) : 0);
}

/** Draws periods from 0 to 5 T, most of them near T. */
function wildPeriodS(rng: Rng, periodS: number): number {
  const draw = rng.uniform();
  if (draw < 0.05) return 0;
  return draw < 0.1 ? 5 * periodS * rng.uniform() : periodS * rng.uniformIn(0.4, 2.5);
}
