/** Driver of an arm of bus servos, of any family: opens it, and reopens it after a loss. */
import type { RobotModel, Vec } from '../../model/index.ts';
import { BUS_COUNTERS, type GuardNotice, type RobotState } from '../../rows/index.ts';
import {
  createDriverReport,
  type Driver,
  type DriverFacts,
  type DriverReport,
  type DriverService,
  type DriverStatus,
  type ServiceAnswer,
} from '../driver.ts';
import { adapterOf } from '../serial/adapter.ts';
import type { OpenLine } from '../serial/line.ts';
import { LineKeeper } from '../serial/line-keeper.ts';
import { type Calibration, checkAdapter, loadCalibration } from './calibration.ts';
import type { ServoFamily } from './family.ts';
import { type ServoDriverOptions, WHOLE_TURN_RAD } from './options.ts';
import { ServoArm } from './servo-arm.ts';
import { checkReach, motorsOf } from './servo-setup.ts';

export interface ServoDriverParts {
  readonly model: RobotModel;
  readonly family: ServoFamily;
  readonly options: ServoDriverOptions;
  readonly openLine: OpenLine;
  /** Returns the adapter at a path; replaced in tests. */
  readonly adapterAt?: ((path: string) => string) | undefined;
  /** Handling of torque that is on at opening; `letGo`: it is switched off, for a leader arm held by the operator. */
  readonly torqueFound?: 'refuse' | 'letGo' | undefined;
}

/** Driver of bus servos; see `Driver`. The motors must be models of the family. */
export class ServoDriver implements Driver {
  /** `needsFirstMotion`: from power-up, or a servo restart, until the guard has seen each joint move. */
  readonly report: DriverReport = createDriverReport({
    needsFirstMotion: true,
    busCounters: new Float64Array(BUS_COUNTERS.length),
  });
  readonly #torqueCapNm: readonly number[];
  readonly #model: RobotModel;
  readonly #family: ServoFamily;
  readonly #options: ServoDriverOptions;
  readonly #line: LineKeeper;
  readonly #adapterAt: (path: string) => string;
  readonly #torqueFound: ServoDriverParts['torqueFound'];
  readonly #periodS: number;
  #arm: ServoArm | undefined;
  #stopFrames: readonly Uint8Array[] = [];

  constructor({ model, family, options, openLine, adapterAt = adapterOf, torqueFound }: ServoDriverParts) {
    this.#model = model;
    this.#family = family;
    this.#options = options;
    this.#line = new LineKeeper(openLine);
    this.#adapterAt = adapterAt;
    this.#torqueFound = torqueFound;
    this.#periodS = 1 / model.controlHz;
    // Grippers and sliding joints have other units in the robot file.
    this.#torqueCapNm = options.jointNames.map((_, i) => {
      const { model: servo, torqueRatio, grips, perTurn, shadowId } = options.motors[i]!;
      if (grips || perTurn !== WHOLE_TURN_RAD) return Number.POSITIVE_INFINITY;
      return (shadowId === undefined ? 1 : 2) * torqueRatio * family.models[servo]!.stallTorqueNm;
    });
  }

  /** Facts that `open` returns; path and stop frames of the bus are valid after it. */
  get facts(): DriverFacts {
    const { jointNames, signalNames } = this.#options;
    return {
      name: this.#family.name,
      jointNames,
      signalNames,
      limitsTorque: true,
      countsBus: true,
      torqueCapNm: this.#torqueCapNm,
      bus: { path: this.#line.path, stopFrames: this.#stopFrames },
    };
  }

  async open(): Promise<DriverFacts> {
    if (this.#arm !== undefined) throw new TypeError('the driver is open already');
    const { named, calibration: path, jointNames } = this.#options;
    const subject = { named, robot: this.#model.name, family: this.#family.name, jointNames };
    this.#start(loadCalibration(path, subject));
    return this.facts;
  }

  service(request: DriverService): ServiceAnswer {
    switch (request) {
      case 'prepare':
        return this.#prepare();
      case 'recover':
        return this.#recover();
      case 'passFirstMotion':
        this.report.needsFirstMotion = false;
        return 'done';
      case 'endCommands':
        return 'nothing';
    }
  }

  /** Makes every servo report its identity and state again. */
  #prepare(): ServiceAnswer {
    const arm = this.#arm;
    return arm === undefined ? { refusal: 'the driver is not open' } : this.#line.prepare(() => arm.prepare());
  }

  /** Reopens a port that was gone, if it is back; else clears latched servo faults. */
  #recover(): ServiceAnswer {
    const arm = this.#arm;
    if (arm === undefined) return 'done';
    const { isLost } = arm.bus;
    return this.#line.recover({
      act: () => (isLost ? this.#start(arm.calibration, 'again') : arm.recover()),
      rowOf: ({ message }) => rowOf(message) ?? (isLost ? 10 : 13),
      isBack: isLost ? IS_BACK : undefined,
    });
  }

  takeNotice(): GuardNotice | undefined {
    return this.#line.takeNotice() ?? this.#arm?.takeNotice();
  }

  torque(ratio: number): void {
    if (ratio === 0) this.#arm?.disable();
    else if (ratio === 1) this.#arm?.enable();
    else this.#arm?.limitTorque(ratio);
  }

  read(out: RobotState): DriverStatus {
    return this.#arm?.read(out) ?? 'lost';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    return this.#arm?.write(referenceRad) ?? 'lost';
  }

  async close(): Promise<void> {
    this.#arm?.close();
    this.#arm = undefined;
  }

  /** `again`: servos may still hold the last goal sent before the cable was pulled. If this throws, a lost arm stays lost. */
  #start(calibration: Calibration, how: 'anew' | 'again' = 'anew'): void {
    this.#arm?.close();
    const { named, port: path, baud } = this.#options;
    this.#line.open({ path, baud, adapter: calibration.adapter, named }, (line) => {
      // The requested path is checked: the name of a link may contain the serial number.
      const asked = path ?? line.path;
      checkAdapter(calibration, { path: asked, adapter: this.#adapterAt(asked), named });
      if (how === 'again') this.#line.checkPath(line);
      const motors = motorsOf(this.#family, this.#options, calibration);
      checkReach(this.#family, motors, this.#model.joints, named);
      const arm = new ServoArm({
        line,
        family: this.#family,
        options: this.#options,
        motors,
        calibration,
        periodS: this.#periodS,
        report: this.report,
      });
      if (how === 'again') arm.letDown(this.#model);
      else if (this.#torqueFound === 'letGo') arm.letGo();
      arm.configure();
      this.#stopFrames = this.#family.stopFrames(motors);
      this.#arm = arm;
    });
  }
}

/** Returns the row of the fault table that is named in `message`. */
function rowOf(message: string): number | undefined {
  const named = /\(fault (\d+)\)/.exec(message)?.[1];
  return named === undefined ? undefined : Number(named);
}

const IS_BACK = 'The servos answer again. Torque is off now on those that had held their last goal: hold the arm.';
