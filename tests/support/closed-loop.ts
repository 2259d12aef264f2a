/** The chain with its energy tank, and a robot in MuJoCo, in closed loop, with somebody who keeps independent books. */
import { ArmKinematics, Rng, type RobotModel, type TankModel } from '../../src/model/index.ts';
import { type PlantOptions, RobotPlant } from '../../src/plant/mujoco.ts';
import { type ActionCommand, createRobotState, type RobotState } from '../../src/rows/index.ts';
import { TANK_HELD } from '../../src/safety/bits.ts';
import { type ChainReport, createChainReport, STAGES } from '../../src/safety/chain-report.ts';
import { SafetyChain } from '../../src/safety/index.ts';
import { JointSensor, type SensorNoise } from '../../src/safety-check/plants.ts';
import { createCommand, jointSpec } from './adversary.ts';
import { springsJ } from './springs.ts';
import { times } from './times.ts';

const TANK = STAGES.indexOf('tank');

/** Who decides, each tick anew, how fast the joints should go. */
export const ENERGY_POLICIES = ['uniform', 'bangBang', 'pumping', 'countering', 'pushing', 'swinging'] as const;
export type EnergyPolicy = (typeof ENERGY_POLICIES)[number] | 'resting';

export interface LoopOptions {
  readonly model: RobotModel;
  readonly plant: RobotPlant;
  readonly policy: EnergyPolicy;
  readonly ticks: number;
  readonly seed: number;
  /** Towards the wall that `pushing` presses against, base frame. */
  readonly push?: readonly [number, number, number];
  /** Of `swinging`: the frequency, and each joint's share and phase. */
  readonly swing?: Swing;
  readonly jitter?: 'none' | 'wild';
  /** Commands stop coming now and then, and the arm brakes. */
  readonly dropOuts?: boolean;
  /** Readings are now and then lost, and the chain gets the last one again. */
  readonly lostReadings?: boolean;
  /** How readings are off, within each joint's `encoderNoiseRad`, and how many ticks late. */
  readonly sensor?: SensorNoise;
  readonly readingDelayTicks?: number;
  /** How far they are really off, rad; as the model says where absent. */
  readonly noiseRad?: number;
  /** The servos have an integral term of K·`integralPerS`, which the books know nothing of. */
  readonly integralPerS?: number;
  /** The servos go from one set-point to the next in so many steps a tick. Default 1. */
  readonly interpolation?: number;
  /** The chain has no tank: what it promises must then be seen to break. */
  readonly isTankOff?: boolean;
  readonly onTick?: (loop: ClosedLoop) => void;
}

export interface Swing {
  readonly hz: number;
  readonly share: readonly number[];
  readonly phaseRad: readonly number[];
}

export interface LoopResult {
  /** Largest of H + E − H₀ − E₀ less top-ups, J: above 0 somebody made energy. */
  surplusMaxJ: number;
  /** Least content over the floor, J. */
  spareMinJ: number;
  /** Energy that moving the set-points really put in, J, at the moments when they came into force. */
  injectedJ: number;
  /** The same, where it was most: what commands had added at the worst moment, less what dampers were credited. */
  netInjectedMaxJ: number;
  /** What dampers were credited, J. */
  creditedJ: number;
  kineticMaxJ: number;
  forceMaxN: number;
  travelRad: number;
  heldTicks: number;
  slowedTicks: number;
}

/** The same robot with readings that are off by up to `noiseRad` on each joint. */
export function withNoise(model: RobotModel, noiseRad: number): RobotModel {
  return { ...model, joints: model.joints.map((joint) => ({ ...joint, encoderNoiseRad: noiseRad })) };
}

/** One run, tick by tick. */
export class ClosedLoop {
  readonly chain: SafetyChain;
  readonly report: ChainReport = createChainReport();
  readonly state: RobotState;
  readonly result: LoopResult = {
    surplusMaxJ: Number.NEGATIVE_INFINITY,
    spareMinJ: Number.POSITIVE_INFINITY,
    injectedJ: 0,
    netInjectedMaxJ: Number.NEGATIVE_INFINITY,
    creditedJ: 0,
    kineticMaxJ: 0,
    forceMaxN: 0,
    travelRad: 0,
    heldTicks: 0,
    slowedTicks: 0,
  };
  readonly #options: LoopOptions;
  readonly #tank: TankModel | undefined;
  readonly #wanted: Float64Array;
  readonly #command: ActionCommand;
  readonly #rng: Rng;
  readonly #sensor: JointSensor;
  readonly #reading: Float64Array;
  /** What an integral term adds to the set-point, rad: K times it is its torque. */
  readonly #integral: Float64Array;
  readonly #goal: Float64Array;
  readonly #arm: ArmKinematics;
  readonly #before: Float64Array;
  readonly #signs: Float64Array;
  #nowS = 10;
  #lastDtS: number;
  #startJ = 0;

  constructor(options: LoopOptions) {
    const { model } = options;
    const n = model.joints.length;
    this.#options = options;
    this.#tank = model.tank;
    this.#wanted = new Float64Array(n);
    this.#before = new Float64Array(n);
    this.#reading = new Float64Array(n);
    this.#integral = new Float64Array(n);
    this.#goal = new Float64Array(n);
    this.#signs = new Float64Array(n).fill(1);
    this.#rng = new Rng(options.seed);
    const { sensor = 'none', readingDelayTicks = 0, noiseRad } = options;
    this.#sensor = new JointSensor(
      noiseRad === undefined ? model : withNoise(model, noiseRad),
      sensor,
      this.#rng.fork('sensor'),
      readingDelayTicks,
    );
    this.#arm = new ArmKinematics(model);
    this.chain = new SafetyChain({
      model,
      action: jointSpec(model, 0.1),
      policyPeriodS: 0.1,
      handoverS: 0,
      trial: { wantedRadPerS: this.#wanted, ...(options.isTankOff === true ? { without: ['tank'] } : {}) },
    });
    this.#command = createCommand(n, 0.1);
    this.state = createRobotState(n, 0);
    options.plant.reset(model.homeRad);
    this.#sensor.restart(model.homeRad);
    if (this.chain.seed(model.homeRad) !== 'ok') throw new RangeError(`${model.name} cannot start at home`);
    this.#startJ = this.storedJ();
    this.#lastDtS = 1 / model.controlHz;
  }

  run(): LoopResult {
    for (let tick = 0; tick < this.#options.ticks; tick++) this.tick(tick);
    return this.result;
  }

  tick(tick: number): void {
    const { plant, model, onTick } = this.#options;
    const periodS = 1 / model.controlHz;
    const dtS = this.#options.jitter === 'wild' ? periodS * this.#rng.uniformIn(0.1, 3) : periodS;
    this.#measure();
    this.#decide(tick);
    const isSilent = this.#options.dropOuts === true && this.#rng.uniform() < 0.03;
    this.#command.seq++;
    this.#command.issuedAtS = this.#nowS;
    this.chain.apply(isSilent ? null : this.#command, this.state, times(this.#lastDtS, this.#nowS), this.report);
    this.#audit();
    this.#before.set(plant.setPointRad);
    const q = plant.positionRad.slice();
    if (!this.#pass(dtS)) throw new RangeError('the simulation is not to be trusted');
    this.#book(q);
    this.#lastDtS = dtS;
    this.#nowS += dtS;
    onTick?.(this);
  }
  /** All energy in the robot and its springs, J. */
  storedJ(): number {
    const { plant, model } = this.#options;
    return plant.kineticJ() + plant.potentialJ() + springsJ(model, plant.setPointRad, plant.positionRad);
  }

  /** A tick of the servos, whatever they are. */
  #pass(dtS: number): boolean {
    const { plant, integralPerS = 0, interpolation = 1 } = this.#options;
    const { sentRad } = this.chain;
    const from = this.#before;
    let isTrusted = true;
    for (let step = 1; step <= interpolation && isTrusted; step++) {
      for (let i = 0; i < sentRad.length; i++) {
        const to = interpolation === 1 ? sentRad[i]! : from[i]! + (step / interpolation) * (sentRad[i]! - from[i]!);
        this.#integral[i] = this.#integral[i]! + integralPerS * (to - plant.positionRad[i]!) * dtS;
        this.#goal[i] = to + this.#integral[i]!;
      }
      isTrusted = plant.step(this.#goal, dtS / interpolation);
    }
    return isTrusted;
  }

  #measure(): void {
    const { plant, lostReadings } = this.#options;
    this.#sensor.read(this.#reading, plant.positionRad, plant.setPointRad);
    if (lostReadings === true && this.#rng.uniform() < 0.1) return;
    this.state.positionRad.set(this.#reading);
    this.state.velocityRadPerS.set(plant.velocityRadPerS);
    this.state.measuredAtS = this.#nowS;
  }

  /** Before the new set-point comes into force, with what the tank took in already: where a surplus would show first. */
  #audit(): void {
    const { plant } = this.#options;
    const { result, report } = this;
    const tank = this.#tank;
    const startJ = tank?.startJ ?? 0;
    const hasTank = this.#options.isTankOff !== true;
    const contentJ = hasTank ? report.tankEnergyJ + report.tankInjectedJ : startJ;
    result.surplusMaxJ = Math.max(result.surplusMaxJ, this.storedJ() + contentJ - this.#startJ - startJ);
    if (hasTank) result.spareMinJ = Math.min(result.spareMinJ, report.tankEnergyJ - (tank?.minJ ?? 0));
    result.creditedJ += report.tankCreditedJ;
    result.kineticMaxJ = Math.max(result.kineticMaxJ, plant.kineticJ());
    result.forceMaxN = Math.max(result.forceMaxN, plant.contactForceN());
    if (report.tankScale < 1) result.slowedTicks++;
    if ((report.stages[TANK]!.bits & TANK_HELD) !== 0) result.heldTicks++;
  }

  #book(q: Float64Array): void {
    const { model, plant } = this.#options;
    const { result } = this;
    result.injectedJ += springsJ(model, plant.setPointRad, q) - springsJ(model, this.#before, q);
    result.netInjectedMaxJ = Math.max(result.netInjectedMaxJ, result.injectedJ - result.creditedJ);
    for (let i = 0; i < q.length; i++) result.travelRad += Math.abs(plant.positionRad[i]! - q[i]!);
  }

  #decide(tick: number): void {
    const { model, policy, plant, push = [1, 0, 0], swing } = this.#options;
    const u = this.#wanted;
    if (policy === 'pushing') {
      this.#arm.forward(plant.positionRad);
      const jacobian = this.#arm.jacobian();
      for (let i = 0; i < u.length; i++) {
        u[i] = 0;
        for (let k = 0; k < 3; k++) u[i] = u[i]! + 4 * push[k]! * jacobian[k * u.length + i]!;
      }
      return;
    }
    for (const [i, { velocityMaxRadPerS: fastest }] of model.joints.entries()) {
      if (policy === 'uniform' && tick % 7 === 0) u[i] = this.#rng.uniformIn(-fastest, fastest);
      else if (policy === 'bangBang' && this.#rng.uniform() < 0.04)
        u[i] = this.#rng.uniform() < 0.5 ? -fastest : fastest;
      else if (policy === 'pumping') {
        const speed = plant.velocityRadPerS[i]!;
        if (Math.abs(speed) > 0.02) this.#signs[i] = Math.sign(speed);
        else if (this.#rng.uniform() < 0.05) this.#signs[i] = -this.#signs[i]!;
        u[i] = this.#signs[i]! * fastest;
      } else if (policy === 'countering') {
        // Against the motion: what was reckoned with the robot where it was costs more by the time it arrives.
        const speed = plant.velocityRadPerS[i]!;
        if (Math.abs(speed) > 0.02) u[i] = -Math.sign(speed) * fastest;
        else u[i] = this.#rng.uniformIn(-fastest, fastest);
      } else if (policy === 'swinging' && swing !== undefined) {
        const angle = 2 * Math.PI * swing.hz * (tick / model.controlHz) + swing.phaseRad[i]!;
        u[i] = swing.share[i]! * fastest * Math.sin(angle);
      }
    }
  }
}

/** Opens the plant, runs one loop on it, and closes it. */
export async function runLoop(
  plantOptions: PlantOptions,
  options: Omit<LoopOptions, 'plant' | 'model'> & { readonly model?: RobotModel },
): Promise<LoopResult> {
  const plant = await RobotPlant.open(plantOptions);
  try {
    return new ClosedLoop({ ...options, model: options.model ?? plantOptions.model, plant }).run();
  } finally {
    plant.close();
  }
}
