/** Purely computed robot for tests, and the smallest example of a driver. Injects faults on demand. */
import { allFinite, clamp, ReinError, type RobotModel, type Vec, zeros } from '../../model/index.ts';
import {
  BUS,
  type BusCounter,
  type GuardNotice,
  HARDWARE,
  type HardwareFault,
  type RobotState,
  type SceneLayout,
} from '../../rows/index.ts';
import {
  createDriverReport,
  type Driver,
  type DriverFacts,
  type DriverReport,
  type DriverService,
  type DriverStatus,
  type Scene,
  type ServiceAnswer,
} from '../driver.ts';
import { MOCK_FRAME, MockBus } from './mock-bus.ts';
import { MOCK_FAULTS, type MockFault, MockFaults } from './mock-faults.ts';
import type { MockDriverOptions } from './options.ts';

/** Time constant of the mock's servos: the distance to the reference shrinks to 1/e in this time. */
const SERVO_TIME_CONSTANT_S = 0.02;
/** Further displacement per read of the fault `pushed`, rad. */
const PUSH_RAD = 0.02;
const CONTACT_N = 200;
const SLOW_PERIODS = 2.1;
/** Delay in reads before a fault requested by a scene occurs: by then the arm moves. */
const SCENE_FAULT_TICKS = 40;
const SHIFTED_RAD = 1;
const SCALED_RATIO = 0.5;
const WRAPS_AFTER_RAD = 0.01;
const HARDWARE_FAULTS = Object.entries(HARDWARE) as readonly (readonly [HardwareFault, number])[];
const HARDWARE_ROWS: Readonly<Record<HardwareFault, number>> = {
  servoFault: 13,
  servoReset: 13,
  stalled: 37,
  torqueCap: 37,
  batteryLow: 45,
  batteryLower: 45,
  batteryEmpty: 45,
  signalLost: 46,
  obstacleNear: 47,
  obstacleInside: 47,
};
/** Encoder range beyond the joint limits, so that an arm outside its limits can be brought back, rad. */
const ENCODER_BEYOND_RAD = 1;

/**
 * Joints that follow the reference with a first-order lag, never faster than their velocity limit. One control
 * period passes per `read`, whatever the clock says. Same options and calls, same numbers.
 */
export class MockDriver implements Driver {
  /** Facts that `open` returns. */
  readonly facts: DriverFacts;
  readonly report: DriverReport = createDriverReport();
  readonly scene: Scene;
  readonly #bus: MockBus | undefined;
  readonly #model: RobotModel;
  readonly #periodS: number;
  readonly #followRatio: number;
  readonly #faults: MockFaults;
  readonly #positionRad: Vec<'rad'>;
  readonly #velocityRadPerS: Vec<'rad/s'>;
  readonly #referenceRad: Vec<'rad'>;
  readonly #signals: Float64Array;
  readonly #torqueNm: Float64Array;
  /** Reading error of each joint, rad. */
  readonly #offRad: Float64Array;
  /** Positions at which torque was switched on, rad. */
  readonly #enabledAtRad: Float64Array;
  /** Gain from commanded to actual motion of the first joint. */
  #gain = 1;
  #isSwapped = false;
  #said = 0;
  #isOpen = false;
  #pushedRad = 0;
  #isEnabled = false;
  #measuredAtS = 0;
  /** Share of its torque that each joint may give, (0, 1]. */
  torqueRatio = 1;

  constructor(model: RobotModel, options: MockDriverOptions = {}) {
    const joints = model.joints.length;
    const startRad = options.startRad ?? model.homeRad;
    if (startRad.length !== joints) throw new RangeError(`expected ${joints} start positions, got ${startRad.length}`);
    this.#model = model;
    this.#torqueNm = Float64Array.from({ length: joints }, (_, i) => options.torqueNm?.[i] ?? 0);
    this.#periodS = 1 / model.controlHz;
    this.#followRatio = 1 - Math.exp(-this.#periodS / SERVO_TIME_CONSTANT_S);
    const { signalNames = [], busPath, distanceM } = options;
    if (busPath !== undefined) this.#bus = new MockBus(busPath, joints);
    this.facts = {
      name: 'mock',
      jointNames: model.joints.map((joint) => joint.name),
      signalNames,
      limitsTorque: true,
      measuresTorque: options.torqueNm !== undefined,
      measuresDistance: distanceM !== undefined,
      countsBus: busPath !== undefined || options.countsBus === true,
      bus: this.#bus && { path: this.#bus.path, stopFrames: this.#bus.stopFrames },
    };
    this.#faults = new MockFaults(options.faults);
    this.#positionRad = zeros(joints);
    this.#velocityRadPerS = zeros(joints);
    this.#referenceRad = zeros(joints);
    this.#signals = new Float64Array(signalNames.length);
    this.#positionRad.set(startRad);
    this.#referenceRad.set(startRad);
    this.#offRad = new Float64Array(joints);
    this.#enabledAtRad = new Float64Array(joints);
    this.report.needsFirstMotion = options.needsFirstMotion ?? false;
    if (this.facts.countsBus === true) this.report.busCounters.fill(0);
    if (distanceM !== undefined) this.report.distance[0] = distanceM;
    this.scene = { reset: (layout) => this.#reset(layout), geomPoses: () => undefined, geoms: [] };
  }

  /** True while torque is on. */
  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  /** Last reference written, rad. The driver's own array. */
  get referenceRad(): Vec<'rad'> {
    return this.#referenceRad;
  }

  /** Makes `fault` happen in the next `ticks` reads (or writes, for `rejected`). */
  inject(fault: MockFault, ticks: number): void {
    this.#faults.inject(fault, ticks);
  }

  async open(): Promise<DriverFacts> {
    if (this.#faults.take('absent')) throw new ReinError('driver', 'The mock robot is configured not to answer.');
    this.#bus?.open();
    this.#isOpen = true;
    return this.facts;
  }

  service(request: DriverService): ServiceAnswer {
    if (request !== 'passFirstMotion') return 'nothing';
    this.report.needsFirstMotion = false;
    return 'done';
  }

  takeNotice(): GuardNotice | undefined {
    const { hardwareFaults } = this.report;
    const fresh = hardwareFaults & ~this.#said;
    this.#said = hardwareFaults;
    const found = fresh === 0 ? undefined : HARDWARE_FAULTS.find(([, bit]) => (fresh & bit) !== 0);
    if (found === undefined) return undefined;
    const message = `${this.facts.jointNames[0]} of the mock robot reports ${found[0]}.`;
    return { level: 'error', row: HARDWARE_ROWS[found[0]], message, remedy: 'The fault was injected for a test.' };
  }

  torque(ratio: number): void {
    if (ratio > 0) this.torqueRatio = ratio;
    if (ratio === 1) this.#turnOn();
    if (ratio === 0) this.#turnOff();
  }

  #turnOn(): void {
    this.#enabledAtRad.set(this.#positionRad);
    for (let i = 0; i < this.#referenceRad.length; i++) {
      this.#referenceRad[i] = this.#positionRad[i]! + this.#offRad[i]!;
    }
    this.#isEnabled = this.#isOpen;
    this.#bus?.send(MOCK_FRAME.torqueOn, this.#referenceRad);
  }

  #turnOff(): void {
    this.#isEnabled = false;
    this.#bus?.send(MOCK_FRAME.torqueOff, this.#referenceRad);
  }

  read(out: RobotState): DriverStatus {
    this.#step();
    this.#faults.tick();
    this.report.isEmergencyStopPressed = this.#faults.take('emergencyStop');
    this.#takeHardware();
    this.#count('requests', 1);
    if (this.#faults.take('foreignReply')) this.#count('foreignReplies', 1);
    if (this.#faults.take('slow')) wait(SLOW_PERIODS * this.#periodS);
    this.#pushedRad = this.#faults.take('pushed') ? this.#pushedRad + PUSH_RAD : 0;
    const { distance } = this.report;
    if (this.facts.measuresDistance === true && !this.#faults.take('distanceSilent')) distance[1] = distance[1]! + 1;
    if (!this.#isOpen || this.#faults.take('lost')) return 'lost';
    if (this.#faults.take('late')) return 'late';
    this.#count('replies', 1);
    if (this.#faults.take('frozen')) return 'ok';
    out.positionRad.set(this.#positionRad);
    out.velocityRadPerS.set(this.#velocityRadPerS);
    out.torqueNm.set(this.#torqueNm);
    out.wrench.fill(0);
    if (this.#faults.take('contact')) out.wrench[2] = CONTACT_N;
    for (let i = 0; i < out.positionRad.length; i++) {
      out.positionRad[i] = out.positionRad[i]! + this.#pushedRad + this.#offRad[i]!;
    }
    out.signals.set(this.#signals);
    out.measuredAtS = this.#measuredAtS;
    if (this.#faults.take('nan')) out.positionRad[0] = Number.NaN;
    if (this.#faults.take('jump')) out.positionRad[0] = out.positionRad[0]! + 2 * Math.PI;
    return 'ok';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    if (!this.#isOpen) return 'lost';
    if (this.#faults.take('rejected') || !this.#isInEncoderRange(referenceRad)) return 'rejected';
    this.#referenceRad.set(referenceRad);
    if (this.#bus === undefined) return 'ok';
    this.#count('sentBytes', this.#bus.frameBytes);
    return this.#bus.send(MOCK_FRAME.reference, referenceRad);
  }

  async close(): Promise<void> {
    if (this.#isEnabled) this.torque(0);
    this.#isOpen = false;
    this.#bus?.close();
  }

  #takeHardware(): void {
    this.report.hardwareFaults = 0;
    for (let i = 0; i < HARDWARE_FAULTS.length; i++) {
      const [name, bit] = HARDWARE_FAULTS[i]!;
      if (this.#faults.take(name)) this.report.hardwareFaults |= bit;
    }
  }

  #count(counter: BusCounter, by: number): void {
    const { busCounters } = this.report;
    // Counters are NaN if not counted, and stay NaN.
    busCounters[BUS[counter]] = busCounters[BUS[counter]]! + by;
  }

  /** Applies the calibration faults: joints move, and are read, differently from the robot file. */
  #miscalibrate(): void {
    const faults = this.#faults;
    const wraps = faults.take('wrapped') && Math.abs(this.#positionRad[0]! - this.#enabledAtRad[0]!) > WRAPS_AFTER_RAD;
    this.#offRad[0] = (wraps ? 2 * Math.PI : 0) + (faults.take('shifted') ? SHIFTED_RAD : 0);
    const scale = faults.take('scaled') ? SCALED_RATIO : 1;
    this.#gain = (faults.take('mirrored') ? -scale : scale) * (faults.take('stuck') ? 0 : 1);
    this.#isSwapped = faults.take('swapped');
  }

  /** Returns the actual target of joint `i`, rad. */
  #goalRad(i: number): number {
    const by = this.#isSwapped && i < 2 ? 1 - i : i;
    const askedRad = this.#referenceRad[by]! - this.#offRad[by]!;
    if (by === i && (i > 0 || this.#gain === 1)) return askedRad;
    return this.#enabledAtRad[i]! + (by === 0 ? this.#gain : 1) * (askedRad - this.#enabledAtRad[by]!);
  }

  #step(): void {
    this.#miscalibrate();
    this.#measuredAtS += this.#periodS;
    const joints = this.#model.joints;
    for (let i = 0; i < joints.length; i++) {
      const limit = joints[i]!.velocityMaxRadPerS * this.#periodS;
      const wanted = this.#isEnabled ? (this.#goalRad(i) - this.#positionRad[i]!) * this.#followRatio : 0;
      const moved = clamp(wanted, -limit, limit);
      this.#positionRad[i] = this.#positionRad[i]! + moved;
      this.#velocityRadPerS[i] = moved / this.#periodS;
    }
  }

  #isInEncoderRange(referenceRad: Vec<'rad'>): boolean {
    const joints = this.#model.joints;
    if (referenceRad.length !== joints.length || !allFinite(referenceRad)) return false;
    for (let i = 0; i < joints.length; i++) {
      const { positionMinRad, positionMaxRad } = joints[i]!;
      if (referenceRad[i]! < positionMinRad - ENCODER_BEYOND_RAD) return false;
      if (referenceRad[i]! > positionMaxRad + ENCODER_BEYOND_RAD) return false;
    }
    return true;
  }

  #reset(layout: SceneLayout): void {
    if (layout.jointsRad.length !== this.#positionRad.length) {
      throw new RangeError(`expected ${this.#positionRad.length} joints, got ${layout.jointsRad.length}`);
    }
    this.#positionRad.set(layout.jointsRad);
    this.#velocityRadPerS.fill(0);
    this.#referenceRad.set(layout.jointsRad);
    this.#pushedRad = 0;
    // Faults are requested as signals: `fault lost: 5` in a layout makes the robot `lost` for five reads once it moves.
    for (const fault of MOCK_FAULTS) {
      const ticks = layout.signals[`fault ${fault}`];
      if (ticks !== undefined) this.#faults.schedule(fault, SCENE_FAULT_TICKS, ticks);
    }
    for (const [i, name] of this.facts.signalNames.entries()) this.#signals[i] = layout.signals[name] ?? 0;
  }
}

/** Blocks the thread, like a bus that answers late. */
function wait(seconds: number): void {
  const endMs = performance.now() + 1e3 * seconds;
  while (performance.now() < endMs);
}
