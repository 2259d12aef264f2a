import { beforeEach, describe, expect, it } from 'vitest';
import { ReinError, SystemClock } from '../../model/index.ts';
import type { SerialLine } from './line.ts';
import { LineKeeper } from './line-keeper.ts';

/** Lines that are open. */
const open = new Set<SerialLine>();
let path: string;
let warning: SerialLine['warning'];
let keeper: LineKeeper;

beforeEach(() => {
  open.clear();
  path = '/dev/a';
  warning = undefined;
  keeper = new LineKeeper(({ baud }) => {
    const line: SerialLine = {
      path,
      baud,
      warning,
      clock: new SystemClock(),
      write: () => 'ok',
      read: () => 0,
      wait: () => undefined,
      close: () => void open.delete(line),
    };
    open.add(line);
    return line;
  });
});

const fails = (): never => {
  throw new ReinError('driver', 'Nothing answers.', { remedy: 'Check its cable.' });
};
const noticesOf = (): string[] => {
  const found: string[] = [];
  for (let next = keeper.takeNotice(); next !== undefined; next = keeper.takeNotice())
    found.push(`${next.level} ${next.row} ${next.message} ${next.remedy}`);
  return found;
};

describe('a line that is kept', () => {
  it('is closed where what hangs on it cannot be set up, and nothing is told of it', () => {
    warning = { message: 'It gathers bytes.', remedy: 'Set its latency.' };
    expect(() => keeper.open({ baud: 1e6 }, fails)).toThrow('Nothing answers.');
    expect([open.size, keeper.path, noticesOf()]).toEqual([0, '', []]);
  });

  it('has all told that there is to know, once, in the order in which it came', () => {
    warning = { message: 'It gathers bytes.', remedy: 'Set its latency.' };
    keeper.open({ baud: 1e6 }, () =>
      keeper.tell({ level: 'warn', row: 46, message: 'It has no timeout.', remedy: 'Set it.' }),
    );
    keeper.recover({ act: () => undefined, rowOf: () => 10, isBack: 'It is back.' });
    keeper.recover({ act: () => undefined, rowOf: () => 10 });
    expect(noticesOf()).toEqual([
      'warn 46 It has no timeout. Set it.',
      'warn 0 It gathers bytes. Set its latency.',
      'warn 10 It is back. ',
    ]);
  });

  it('says what is wrong: as a refusal to get torque ready, as a notice where somebody asks to recover', () => {
    expect(keeper.prepare(fails)).toEqual({ refusal: 'Nothing answers. Check its cable' });
    expect(keeper.prepare(() => undefined)).toBe('done');
    expect(keeper.recover({ act: fails, rowOf: ({ message }) => message.length, isBack: 'It is back.' })).toBe('done');
    expect(noticesOf()).toEqual(['error 16 Nothing answers. Check its cable.']);
    const broken = (): never => {
      throw new TypeError('a defect');
    };
    expect(() => keeper.prepare(broken)).toThrow('a defect');
  });

  it('has to come back where the guardian watches it', () => {
    const back = (): void => keeper.open({ baud: 1e6 }, (line) => keeper.checkPath(line));
    back();
    back();
    path = '/dev/b';
    expect(back).toThrow('The adapter has come back as /dev/b, and was /dev/a');
    expect([keeper.path, open.size]).toEqual(['/dev/a', 2]);
  });
});
