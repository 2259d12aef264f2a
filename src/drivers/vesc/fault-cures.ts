/** Remedies for faults that a VESC reports, by the name of the code (`FAULT_CODES`): one remedy per cause. */
import { faultName } from './values.ts';

/** The first pattern that matches the name applies. */
const CURES: readonly (readonly [words: RegExp, cure: (inputV: number) => string])[] = [
  [
    /^OVER_VOLTAGE|^GATE_DRIVER_OVER_VOLTAGE/,
    (inputV) =>
      `Switch its supply off now: ${inputV.toFixed(1)} V are too much, or braking drives it up where nothing takes the current. Use another supply, or a battery.`,
  ],
  [
    /UNDER_VOLTAGE|^LV_OUTPUT/,
    (inputV) => `Its supply has ${inputV.toFixed(1)} V: charge the battery, and check plugs and cables.`,
  ],
  [/OVER_TEMP/, () => 'Let it cool, and drive it with less load.'],
  [
    /OVER_CURRENT|UNBALANCED|PHASE_FILTER/,
    () => 'Look for a blocked wheel and a short or loose motor cable; then run the motor wizard of VESC Tool again.',
  ],
  [
    /ENCODER|RESOLVER/,
    () => "Check the cable of the motor's encoder, and detect it again: VESC Tool, Motor Settings, FOC, Encoder.",
  ],
  [/FLASH_CORRUPTION/, () => 'Write firmware and settings again with VESC Tool.'],
  [/WATCHDOG/, () => 'Its program has hung: write the newest firmware with VESC Tool.'],
  [/OVERSPEED|UNDERSPEED/, () => 'Its speed left the limits of VESC Tool, Motor Settings: check what drives it.'],
  [
    /^DRV|^BRK|OFFSET_CURRENT_SENSOR/,
    () =>
      'Its power stage reports a defect: switch it off, check motor cables for a short; if the fault returns, have it repaired.',
  ],
];

/** Returns one or two sentences. `inputV`: supply voltage as measured by the VESC. */
export function faultCure(code: number, inputV: number): string {
  const name = faultName(code);
  const found = CURES.find(([words]) => words.test(name));
  return found?.[1](inputV) ?? 'Find its cause: VESC Tool, terminal, faults.';
}
