import { expect, it } from 'vitest';
import { applyFault, FAULT_COMMANDS, type FaultTarget, LINE_FAULTS, noServoFaults } from './faults.ts';

function target(): FaultTarget & { readonly done: string[]; readonly faults: ReturnType<typeof noServoFaults> } {
  const done: string[] = [];
  const faults = noServoFaults();
  return {
    done,
    faults,
    ids: [1, 2],
    servo: (id) => (id === 2 ? faults : undefined),
    setRate: (fault, rate) => void done.push(`${fault} ${rate}`),
    setRequestRate: (fault, rate) => void done.push(`${fault} ${rate} of requests`),
    setNoise: (bytesPerS) => void done.push(`noise ${bytesPerS}`),
    setEcho: (isEchoing) => void done.push(`echo ${isEchoing}`),
    plan: (fault) => void done.push(JSON.stringify(fault)),
    setSupply: (volts) => void done.push(`supply ${volts}`),
    setRegister: (id, register, counts) => void done.push(`${id} ${register} ${counts}`),
    powerCycle: () => void done.push('power'),
    unplug: () => void done.push('unplug'),
    plug: () => void done.push('plug'),
  };
}

it('does what is typed', () => {
  const emulator = target();
  for (const line of ['drop 0.01', ' wrong-id  1', 'noise 5000', 'echo', 'echo 0', 'brown-out', 'unplug', 'plug']) {
    applyFault(emulator, line);
  }
  expect(emulator.done).toEqual([
    'drop 0.01',
    'wrongId 1',
    'noise 5000',
    'echo true',
    'echo false',
    'power',
    'unplug',
    'plug',
  ]);
  for (const line of [
    'dead 2',
    'dip 2 0.3',
    'overload 2',
    'error 2 32',
    'mirror 2',
    'reverse 2',
    'shift 2 -0.5',
    'wrap 2',
    'freeze 2',
  ]) {
    applyFault(emulator, line);
  }
  expect(emulator.faults).toEqual({
    isDead: true,
    unpoweredS: 0.3,
    isOverloaded: true,
    errorBits: 32,
    isMirrored: true,
    isReversed: true,
    shiftRad: -0.5,
    wrapTurns: 1,
    isFrozen: true,
  });
  applyFault(emulator, 'heal 2');
  expect(emulator.faults).toEqual(noServoFaults());
});

it('befalls requests where that is said', () => {
  const emulator = target();
  for (const line of ['drop 0.01 requests', 'flip 0 requests', 'garbage 1']) applyFault(emulator, line);
  expect(emulator.done).toEqual(['drop 0.01 of requests', 'flip 0 of requests', 'garbage 1']);
});

it('plans the fault of one packet, changes registers, and lets a battery run empty', () => {
  const emulator = target();
  for (const line of ['next flip 13', 'next split 3 0.002', 'next stale', 'set 2 id 1', 'supply 5.5']) {
    applyFault(emulator, line);
  }
  expect(emulator.done).toEqual([
    '{"kind":"flip","bit":13}',
    '{"kind":"split","at":3,"gapS":0.002}',
    '{"kind":"stale"}',
    '2 id 1',
    'supply 5.5',
  ]);
});

it('has a word for each fault of the line', () => {
  for (const help of Object.values(LINE_FAULTS)) {
    expect(Object.values(FAULT_COMMANDS).some((command) => command.help.startsWith(help))).toBe(true);
  }
});

it.each([
  ['ded 2', /no fault "ded", did you mean "dead"\?/],
  ['drop', /must be a number/],
  ['drop 2', /from 0 to 1/],
  ['drop 1 writes', /takes requests or nothing after its rate, not "writes"/],
  ['delay 1 requests', /takes RATE after it/],
  ['dead 3', /no servo 3; there are 1, 2/],
  ['dead x', /must be a number, not "x"/],
  ['next flop', /next takes drop, flip/],
  ['set 1 id', /must be a number/],
  ['unplug now', /takes nothing after it/],
  ['', /no fault ""/],
])('says what is wrong with "%s"', (line, reason) => {
  expect(() => applyFault(target(), line)).toThrow(reason);
});
