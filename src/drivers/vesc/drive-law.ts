/** Converts a wanted speed to the one command of the VESC's motor. Pure arithmetic; tick-safe after construction. */
import { clamp } from '../../model/index.ts';
import { erpmPerMPerS, type VescDriverOptions } from './options.ts';
import { writeBrake, writeCurrent, writeDuty, writeRpm } from './protocol.ts';

/** Largest speed added to the reference's own to make up distance, m/s. */
const CATCH_UP_MAX_M_PER_S = 0.3;
/** A car that rolls faster than this is braked before it reverses (row 46), m/s. */
const REVERSE_BELOW_M_PER_S = 0.15;
/** References below this are standstill, unless the lowest electrical speed is higher, m/s. */
const STAND_M_PER_S = 0.02;
/** A car slower than this is at rest, m/s. */
const REST_M_PER_S = 0.05;
/** Largest acceleration as a multiple of the base's limit: a reference that jumped must not make the car race off. */
const SPEED_UP = 2;
/** Windup limit of the current loop's integrator, m. */
const WINDUP_MAX_M = 1;

export type MotorCommand = 'brake' | 'current' | 'duty' | 'erpm';

export class DriveLaw {
  /** Last choice: `value` in A, as duty ratio, or in ERPM, with the VESC's own sign. */
  command: MotorCommand = 'current';
  value = 0;
  /** ERPM at 1 m/s ahead, with the VESC's own sign. */
  readonly erpmPerMPerS: number;
  readonly #drive: VescDriverOptions['drive'];
  readonly #sign: number;
  readonly #speedMaxMPerS: number;
  readonly #accelMaxMPerS2: number;
  #gatheredM = 0;
  #targetMPerS = 0;
  #isStopping = false;

  /** `baseSpeedMaxMPerS`, `accelMaxMPerS2`: limits of the base's forward axis. */
  constructor({ drive, motor }: VescDriverOptions, baseSpeedMaxMPerS: number, accelMaxMPerS2: number) {
    this.#drive = drive;
    this.#sign = motor.isReversed ? -1 : 1;
    this.erpmPerMPerS = this.#sign * erpmPerMPerS(motor);
    this.#accelMaxMPerS2 = accelMaxMPerS2;
    this.#speedMaxMPerS = Math.min(baseSpeedMaxMPerS, drive.speedMaxMPerS ?? baseSpeedMaxMPerS);
  }

  /** Clears the state left by earlier choices. */
  restart(): void {
    this.#gatheredM = 0;
    this.#targetMPerS = 0;
    this.#isStopping = true;
  }

  /** Chooses the command. `wantedMPerS`: the reference's speed. `behindM`: distance of the car behind it. */
  choose(wantedMPerS: number, behindM: number, speedMPerS: number, dtS: number): void {
    const { mode, positionGainPerS, erpmMin, brakeMaxA } = this.#drive;
    const most = CATCH_UP_MAX_M_PER_S;
    const askedMPerS = wantedMPerS + clamp(positionGainPerS * behindM, -most, most);
    const targetMPerS = this.#speedUp(askedMPerS, speedMPerS, dtS);
    this.#isStopping = true;
    const standsBelow =
      mode === 'speed' ? Math.max(STAND_M_PER_S, erpmMin / Math.abs(this.erpmPerMPerS)) : STAND_M_PER_S;
    const isReversing = targetMPerS * speedMPerS < 0 && Math.abs(speedMPerS) > REVERSE_BELOW_M_PER_S;
    // Negated, so that NaN brakes.
    if (!(Math.abs(targetMPerS) >= standsBelow) || !Number.isFinite(speedMPerS) || isReversing) {
      this.#gatheredM = 0;
      this.#set('brake', brakeMaxA);
      if (isReversing || !Number.isFinite(targetMPerS)) this.#targetMPerS = 0;
    } else if (mode === 'speed') {
      this.#set('erpm', targetMPerS * this.erpmPerMPerS);
    } else if (mode === 'duty') {
      const { dutyPerMPerS, dutyMax } = this.#drive;
      this.#set('duty', this.#sign * clamp(targetMPerS * dutyPerMPerS, -dutyMax, dutyMax));
    } else {
      this.#chooseCurrent(targetMPerS, speedMPerS, dtS);
    }
  }

  /** Brakes until the car stands, then lets it roll: it may be pushed. */
  stop(speedMPerS: number): void {
    this.#gatheredM = 0;
    this.#targetMPerS = 0;
    const { stopBrakeA } = this.#drive;
    if (Math.abs(speedMPerS) <= REST_M_PER_S) this.#isStopping = false;
    if (this.#isStopping && stopBrakeA > 0) this.#set('brake', stopBrakeA);
    else this.#set('current', 0);
  }

  /** Writes the packet at `at`; returns its end. */
  write(out: Uint8Array, at: number): number {
    switch (this.command) {
      case 'brake':
        return writeBrake(out, at, this.value);
      case 'current':
        return writeCurrent(out, at, this.value);
      case 'duty':
        return writeDuty(out, at, this.value);
      case 'erpm':
        return writeRpm(out, at, this.value);
    }
  }

  /** Returns `askedMPerS` within the limits of speed, and of acceleration for a car at `speedMPerS`. */
  #speedUp(askedMPerS: number, speedMPerS: number, dtS: number): number {
    const way = askedMPerS < 0 ? -1 : 1;
    const had = Math.max(0, way * this.#targetMPerS, way * speedMPerS);
    const most = Math.min(this.#speedMaxMPerS, had + SPEED_UP * this.#accelMaxMPerS2 * dtS);
    this.#targetMPerS = way * Math.min(Math.abs(askedMPerS), most);
    return this.#targetMPerS;
  }

  #chooseCurrent(targetMPerS: number, speedMPerS: number, dtS: number): void {
    const { currentGainAPerMPerS, currentGainAPerM, currentMaxA, brakeMaxA } = this.#drive;
    const errorMPerS = targetMPerS - speedMPerS;
    this.#gatheredM = clamp(this.#gatheredM + errorMPerS * dtS, -WINDUP_MAX_M, WINDUP_MAX_M);
    const wantedA = currentGainAPerMPerS * errorMPerS + currentGainAPerM * this.#gatheredM;
    const isBraking = wantedA * speedMPerS < 0 && Math.abs(speedMPerS) > REVERSE_BELOW_M_PER_S;
    // A brake command cannot reverse the car; a current can.
    if (isBraking) this.#set('brake', Math.min(Math.abs(wantedA), brakeMaxA));
    else this.#set('current', this.#sign * clamp(wantedA, -currentMaxA, currentMaxA));
  }

  #set(command: MotorCommand, value: number): void {
    this.command = command;
    this.value = value;
  }
}
