/** Watch of a VESC and its battery: bits of `HARDWARE`, and notices for the operator. */
import { type GuardNotice, HARDWARE } from '../../rows/index.ts';
import type { DriverReport } from '../driver.ts';
import { faultCure } from './fault-cures.ts';
import type { VescDriverOptions } from './options.ts';
import { faultName, VALUE } from './values.ts';

/** Time until a battery step is reported, as the voltage dips under load; the guard waits as long before it acts (row 45), s. */
const BATTERY_S = 2;
/** Cooling below the limit until an overheating ends, °C. */
const COOL_BY_C = 5;
/** `mc_fault_code` of a controller restarted by its watchdog. */
const WATCHDOG_RESET = 10;
/** Remedy for an unknown position in the fence. */
export const FROM_ITS_START = 'Put the car at its start position, and start the program again.';
/** Current in a released motor, A, for this time, s, at this speed, m/s: it is driven by something else. */
const FOREIGN_A = 3;
const FOREIGN_S = 0.3;
const FOREIGN_M_PER_S = 0.2;

const STEPS = ['batteryLow', 'batteryLower', 'batteryEmpty'] as const;
const BATTERY = HARDWARE.batteryLow | HARDWARE.batteryLower | HARDWARE.batteryEmpty;

export class VescWatch {
  readonly #options: VescDriverOptions;
  /** [3] limits of the battery steps, V, and for how long each has differed from `#lasting`, s. */
  readonly #stepV: Float64Array;
  readonly #stepS: Float64Array = new Float64Array(STEPS.length);
  readonly #values: Float64Array;
  readonly #report: DriverReport;
  /** Bits of the battery steps that have lasted and are no dips. */
  #lasting = 0;
  #isHot = false;
  #foreignS = 0;
  #reported = 0;
  #reportedCode = 0;
  #code = 0;

  /** `values`: array that `readSelected` fills; `report`: its `hardwareFaults` are written here. Both are the driver's. */
  constructor(options: VescDriverOptions, values: Float64Array, report: DriverReport) {
    const { battery } = options;
    this.#options = options;
    this.#values = values;
    this.#report = report;
    const { cells = 0, warnV = 0, slowV = 0, stopV = 0 } = battery ?? {};
    this.#stepV = Float64Array.of(cells * warnV, cells * slowV, cells * stopV);
  }

  /** Clears the faults that last until the VESC is identified again. */
  restart(): void {
    this.#report.hardwareFaults &= ~(HARDWARE.servoReset | HARDWARE.signalLost);
    this.#foreignS = 0;
  }

  /** Evaluates new values, `dtS` after the previous ones. `isReleased`: the motor was released. Tick path. */
  see(speedMPerS: number, isReleased: boolean, dtS: number): void {
    const values = this.#values;
    const { mosfetMaxC, motorMaxC = Number.POSITIVE_INFINITY, battery } = this.#options;
    const marginC = this.#isHot ? COOL_BY_C : 0;
    this.#code = values[VALUE.fault]!;
    this.#isHot = values[VALUE.mosfetC]! > mosfetMaxC - marginC || values[VALUE.motorC]! > motorMaxC - marginC;
    this.#set(HARDWARE.servoFault, this.#code !== 0 || this.#isHot);
    if (this.#code === WATCHDOG_RESET) this.#report.hardwareFaults |= HARDWARE.servoReset;
    if (battery !== undefined) this.#climb(values[VALUE.inputV]!, dtS);
    const isForeign =
      isReleased && Math.abs(values[VALUE.motorA]!) > FOREIGN_A && Math.abs(speedMPerS) > FOREIGN_M_PER_S;
    this.#foreignS = isForeign ? this.#foreignS + dtS : 0;
    this.#set(HARDWARE.signalLost, this.#foreignS >= FOREIGN_S);
  }

  /** Called when the VESC has not answered for too long. Tick path. */
  lose(): void {
    this.#report.hardwareFaults |= HARDWARE.signalLost;
  }

  /** Called when its counters have restarted. Tick path. */
  reset(): void {
    this.#report.hardwareFaults |= HARDWARE.servoReset;
  }

  /** Returns what is new, once. Allocates. */
  takeNotice(): GuardNotice | undefined {
    const isOtherCode = this.#code !== 0 && this.#code !== this.#reportedCode;
    const shown = (this.#report.hardwareFaults & ~BATTERY) | this.#lasting;
    const fresh = (shown & ~this.#reported) | (isOtherCode ? HARDWARE.servoFault : 0);
    // One at a time: the others follow in the next calls.
    const bit = fresh & -fresh;
    this.#reported = (this.#reported & shown) | bit;
    if (bit === HARDWARE.servoFault || this.#code === 0) this.#reportedCode = this.#code;
    return bit === 0 ? undefined : this.#noticeOf(bit);
  }

  #climb(inputV: number, dtS: number): void {
    for (let i = 0; i < STEPS.length; i++) {
      const bit = HARDWARE[STEPS[i]!];
      const isLow = inputV < this.#stepV[i]!;
      this.#set(bit, isLow);
      const isLasting = (this.#lasting & bit) !== 0;
      this.#stepS[i] = isLow === isLasting ? 0 : this.#stepS[i]! + dtS;
      if (this.#stepS[i]! < BATTERY_S) continue;
      this.#stepS[i] = 0;
      this.#lasting ^= bit;
    }
  }

  #set(bit: number, isSet: boolean): void {
    this.#report.hardwareFaults = isSet ? this.#report.hardwareFaults | bit : this.#report.hardwareFaults & ~bit;
  }

  #noticeOf(bit: number): GuardNotice {
    const { battery, mosfetMaxC, motorMaxC } = this.#options;
    const values = this.#values;
    const charge = 'Charge the battery.';
    const cellV = (values[VALUE.inputV]! / (battery?.cells ?? 1)).toFixed(2);
    switch (bit) {
      case HARDWARE.batteryLow:
        return notice('warn', 45, `The battery is low: ${cellV} V a cell, below ${battery?.warnV}`, charge);
      case HARDWARE.batteryLower:
        return notice(
          'warn',
          45,
          `The battery is nearly empty: ${cellV} V a cell, below ${battery?.slowV}: the car is slowed`,
          charge,
        );
      case HARDWARE.batteryEmpty:
        return notice(
          'error',
          45,
          `The battery is empty: ${cellV} V a cell, below ${battery?.stopV}: the car stops`,
          charge,
        );
      case HARDWARE.servoReset:
        return notice(
          'error',
          13,
          'The VESC has restarted by itself: the position of the car is lost',
          `Its supply has dipped: check battery and plugs. ${FROM_ITS_START}`,
        );
      case HARDWARE.signalLost:
        return this.#foreignS > 0
          ? notice(
              'error',
              46,
              'The motor turns although it was commanded to coast: another source drives the VESC',
              'Let UART alone drive it: VESC Tool, App Settings, APP to Use: UART.',
            )
          : notice('error', 46, 'The VESC no longer answers', 'Check cable and supply.');
      default:
        if (this.#code !== 0) {
          return notice(
            'error',
            13,
            `The VESC reports fault ${this.#code} (${faultName(this.#code)})`,
            `${faultCure(this.#code, values[VALUE.inputV]!)} Then acknowledge.`,
          );
        }
        return notice(
          'error',
          13,
          `The VESC is at ${values[VALUE.mosfetC]!.toFixed(0)} °C (limit ${mosfetMaxC}), its motor at ${values[VALUE.motorC]!.toFixed(0)} (limit ${motorMaxC ?? 'none'})`,
          'Let it cool, then acknowledge.',
        );
    }
  }
}

function notice(level: GuardNotice['level'], row: number, message: string, remedy: string): GuardNotice {
  return { level, row, message: `${message}.`, remedy };
}
