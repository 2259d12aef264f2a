import { describe, expect, it } from 'vitest';
import { HARDWARE_ERROR } from '../dynamixel/models.ts';
import { ALERT } from '../dynamixel/packet.ts';
import { STATUS_ERROR } from '../feetech/protocol.ts';
import { dynamixelFamily, feetechFamily } from '../serial.ts';
import { faultCure } from '../vesc/fault-cures.ts';
import { FAULT_CODES } from '../vesc/values.ts';
import { errorCure } from './error-cures.ts';

const SUPPLY = { volts: 12, leastV: 4, mostV: 8 };

/** Text that only the remedy of that cause contains. */
const OWN: Readonly<Record<string, RegExp>> = {
  voltage: /Switch its supply off now: it has 12\.0 V, and takes 4\.0 V to 8\.0 V\. Use another supply\./,
  sensor: /encoder fails/,
  encoder: /encoder fails/,
  temperature: /cool/,
  current: /too much current/,
  angle: /outside the range that it stores/,
  overload: /Take the load off/,
  electricalShock: /short in its cable/,
};

describe('the remedy of an error of a servo', () => {
  const feetech = Object.entries(STATUS_ERROR).map(([name, bit]) => [name, feetechFamily.errorNames(bit)] as const);
  const dynamixel = Object.entries(HARDWARE_ERROR).map(
    ([name, bit]) => [name, dynamixelFamily.errorNames(ALERT, bit)] as const,
  );

  it.each([...feetech, ...dynamixel])('is that of its cause, and of no other: %s', (name, names) => {
    const cure = errorCure(names, SUPPLY);
    for (const [other, words] of Object.entries(OWN)) {
      const isSame = other === name || OWN[other]!.source === OWN[name]!.source;
      expect(words.test(cure), `${other} in "${cure}"`).toBe(isSame);
    }
  });

  it('names the supply first where there are several, and says what is wrong with it', () => {
    expect(errorCure(['overload', 'voltage'], SUPPLY)).toMatch(/^Switch its supply off now.* Take the load off/);
    expect(errorCure(['voltage'], { ...SUPPLY, volts: 3.2 })).toMatch(/^Its supply is too low: it has 3\.2 V/);
    expect(errorCure(['voltage'], { ...SUPPLY, volts: 7.4 })).toMatch(/for a moment: it has 7\.4 V now/);
    expect(errorCure(['voltage'], { volts: Number.NaN, leastV: Number.NaN, mostV: Number.NaN })).not.toContain('NaN');
  });
});

describe('the remedy of a fault of a VESC', () => {
  it.each(FAULT_CODES.slice(1).map((name, i) => [i + 1, name] as const))(
    'is that of its cause: %i %s',
    (code, name) => {
      const cure = faultCure(code, 21.5);
      expect(/cool/.test(cure)).toBe(name.includes('TEMP'));
      expect(cure.includes('21.5 V')).toBe(/VOLTAGE|LV_/.test(name));
      expect(cure).not.toContain('Find its cause');
    },
  );
});
