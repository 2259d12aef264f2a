/** A driver whose bus a guardian watches. */
import type { GuardNotice, RobotState, Vec } from '../../core/index.ts';
import type { Driver, DriverBus, DriverStatus, Scene } from '../../drivers/index.ts';
import type { GuardPulse } from './guard-pulse.ts';

/**
 * Passes everything on to `driver`, and keeps the rules of a watched bus: no torque without a guardian; the guardian knows that
 * torque is on before it is; and when the guardian has stopped the bus past a guard that was held up, what the guard commands
 * is not what the robot does any more: torque goes off, and references are refused until it is put on again.
 */
export class WatchedDriver implements Driver {
  readonly name: string;
  readonly jointNames: readonly string[];
  readonly signalNames: readonly string[];
  readonly scene?: Scene;
  readonly bus?: DriverBus;
  readonly meanWrench?: Float64Array;
  readonly busCounters?: Float64Array;
  readonly distance?: Float64Array;
  readonly torqueCapNm?: readonly number[];
  readonly endCommands?: () => void;
  readonly #driver: Driver;
  readonly #pulse: GuardPulse;
  #isStopped = false;

  /** `driver` is open. */
  constructor(driver: Driver, pulse: GuardPulse) {
    this.#driver = driver;
    this.#pulse = pulse;
    this.name = driver.name;
    this.jointNames = driver.jointNames;
    this.signalNames = driver.signalNames;
    if (driver.scene !== undefined) this.scene = driver.scene;
    if (driver.bus !== undefined) this.bus = driver.bus;
    if (driver.meanWrench !== undefined) this.meanWrench = driver.meanWrench;
    if (driver.busCounters !== undefined) this.busCounters = driver.busCounters;
    if (driver.distance !== undefined) this.distance = driver.distance;
    if (driver.endCommands !== undefined) this.endCommands = () => this.#driver.endCommands?.();
    if (driver.torqueCapNm !== undefined) this.torqueCapNm = driver.torqueCapNm;
  }

  get measuresTorque(): boolean {
    return this.#driver.measuresTorque !== false;
  }

  get isEmergencyStopPressed(): boolean {
    return this.#driver.isEmergencyStopPressed === true;
  }

  get isSimulated(): boolean {
    return this.#driver.isSimulated === true;
  }

  get keepsTorque(): boolean {
    return this.#driver.keepsTorque === true;
  }

  get hardwareFaults(): number {
    return this.#driver.hardwareFaults ?? 0;
  }

  get unmeasuredJoints(): readonly string[] {
    return this.#driver.unmeasuredJoints ?? [];
  }

  get needsFirstMotion(): boolean {
    return this.#driver.needsFirstMotion === true;
  }

  passFirstMotion(): void {
    this.#driver.passFirstMotion?.();
  }

  recover(): void {
    this.#driver.recover?.();
  }

  takeNotice(): GuardNotice | undefined {
    return this.#driver.takeNotice?.();
  }

  open(): Promise<void> {
    return this.#driver.open();
  }

  prepare(): string | undefined {
    if (!this.#pulse.isConnected) return 'no guardian was started: nothing could stop the bus when the guard dies';
    this.#pulse.beat();
    if (!this.#pulse.isWatched) return 'the guardian, which stops the bus when the guard dies, is not ready';
    return this.#driver.prepare?.();
  }

  enable(): void {
    this.#isStopped = false;
    this.#pulse.arm();
    this.#driver.enable();
  }

  limitTorque(ratio: number): void {
    this.#driver.limitTorque?.(ratio);
  }

  disable(): void {
    this.#driver.disable();
    this.#pulse.disarm();
  }

  read(out: RobotState): DriverStatus {
    if (this.#pulse.isStoppedPast && !this.#isStopped) {
      this.#isStopped = true;
      this.#driver.disable();
    }
    return this.#driver.read(out);
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    return this.#pulse.isStoppedPast ? 'lost' : this.#driver.write(referenceRad);
  }

  close(): Promise<void> {
    // Closing may take longer than a tick, and from now on nothing moves the robot.
    this.#pulse.disarm();
    return this.#driver.close();
  }
}
