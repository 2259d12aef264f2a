import { expect, it } from 'vitest';
import { FEETECH_MODELS } from '../../../src/drivers/serial.ts';
import { RegisterFile } from './registers.ts';

function registers(): RegisterFile {
  const factory = { torqueMax: 1000, gainP: 32 };
  return new RegisterFile({ model: FEETECH_MODELS['sts3215']!, size: 128, isLittleEndian: true, factory });
}

it('writes and reads numbers as the table has them, held within what a register can say', () => {
  const file = registers();
  expect(file.get('modelNumber')).toBe(777);
  file.set('presentLoad', -250);
  expect(file.get('presentLoad')).toBe(-250);
  expect(file.value('presentLoad')).toBeCloseTo(-0.25, 12);
  expect([...file.bytes.subarray(60, 62)]).toEqual([250, 0b100]);
  file.set('presentLoad', 99_999);
  expect(file.get('presentLoad')).toBe(1023);
  file.set('gainP', -3);
  expect(file.get('gainP')).toBe(0);
  expect(() => file.get('nothing')).toThrow(RangeError);
});

it('keeps without power what was stored, and nothing else', () => {
  const file = registers();
  file.set('gainP', 16);
  file.set('gainD', 5);
  file.set('goalPosition', 100);
  file.store(21, 1);
  file.powerCycle();
  expect(file.get('gainP')).toBe(16);
  expect(file.get('gainD')).toBe(0);
  expect(file.get('goalPosition')).toBe(0);
});

it('is as from the factory after a reset, but for what is kept, and stays so', () => {
  const file = registers();
  file.set('id', 7);
  file.set('gainP', 16);
  file.store(0, 128);
  file.factoryReset(['id']);
  file.powerCycle();
  expect(file.get('gainP')).toBe(32);
  expect(file.get('id')).toBe(7);
});
