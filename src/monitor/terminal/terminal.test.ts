import { describe, expect, it, vi } from 'vitest';
import type { RunStatus } from '../../session/index.ts';
import { createRunStatus, RUN_PHASES } from '../../session/status.ts';
import { renderLine, renderStatus } from './render-status.ts';
import { type DisplayStream, TerminalDisplay, textStyle } from './terminal-display.ts';
import { columns, fit, PLAIN, stripAnsi, type TextStyle } from './text.ts';

const training: RunStatus = {
  ...createRunStatus('2031-04-02-insert-7', 'insert', 7),
  phase: 'training',
  elapsedS: 42.4,
  timeLeftS: 31,
  envSteps: 1240,
  envStepsTotal: 3000,
  updates: 24_800,
  updatesPerS: 412.3,
  utdAchieved: 19.96,
  utdTarget: 20,
  success: { successes: 43, episodes: 50 },
  successHistory: [0, 0.1, 0.3, 0.35, 0.6, 0.72, 0.86, 1],
  intervention: { segmentsPerEpisode: 0.42, stepShare: 0.123 },
  filter: { changedShare: 0.031, violations: 0, marginMin: 0.42, tankLevel: 0.875 },
  policy: { version: 42, ageS: 0.43, learnerVersion: 42 },
  link: { sent: 1240, acked: 1236, pending: 4, lost: 0, duplicated: 0, notRecorded: 0 },
  operator: { driving: 'policy', keys: 't take over  wasd/rf move  space give back  ctrl+c end' },
  messages: ['20 demonstrations recorded', 'validation: 43 of 50'],
};
const evaluating: RunStatus = {
  ...training,
  phase: 'evaluating',
  phaseProgress: { done: 120, total: 200, unit: 'episodes' },
  operator: { driving: 'you', keys: '' },
};
const colour: TextStyle = { colour: 'ansi', glyphs: 'unicode' };
const ascii: TextStyle = { colour: 'none', glyphs: 'ascii' };

describe('renderStatus', () => {
  it.each([40, 80, 120])('looks the same as ever at %i columns', (width) => {
    expect(`\n${renderStatus(training, width).join('\n')}\n`).toMatchSnapshot();
    expect(`\n${renderStatus(evaluating, width).join('\n')}\n`).toMatchSnapshot();
  });

  it('draws the learning curve where there are rows for it, at a place that messages do not move', () => {
    const lines = (status: RunStatus, rows: number): string[] => renderStatus(status, 60, PLAIN, rows);
    const without = renderStatus(training, 60).length;
    expect(lines(training, 19)).toHaveLength(without);
    expect(lines(training, 20)).toHaveLength(without + 6);
    expect(lines(training, 20).slice(9, 15)).toEqual([
      '100 %       ▁█',
      '           ▃██',
      '          ▅███',
      '         ▁████',
      '        ▆█████',
      '  0 % ▁▅██████',
    ]);
    const quiet = { ...training, messages: [] };
    expect(lines(quiet, 20).slice(0, 15)).toEqual(lines(training, 20).slice(0, 15));
    for (let width = 20; width <= 200; width++) {
      const long = { ...training, successHistory: Array.from({ length: 500 }, (_, i) => i / 500) };
      for (const style of [colour, ascii]) {
        for (const line of renderStatus(long, width, style, 40)) expect(columns(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('never writes a line wider than the terminal, nor more than 17 lines', () => {
    const wild: RunStatus = {
      ...evaluating,
      task: 'x'.repeat(300),
      messages: ['é'.repeat(400), '界🤖'.repeat(60), 'a\nb\x1b[2Jc', 'z', 'y'],
      updates: 1e15,
      updatesPerS: Number.NaN,
    };
    for (let width = 20; width <= 200; width++) {
      for (const style of [colour, ascii]) {
        for (const status of [training, evaluating, wild, createRunStatus('r', 't', 0)]) {
          const lines = renderStatus(status, width, style);
          expect(lines.length).toBeLessThanOrEqual(17);
          for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(width);
        }
      }
    }
  });

  it('says the same with and without colour', () => {
    for (const status of [training, evaluating]) {
      expect(renderStatus(status, 80, colour).map(stripAnsi)).toEqual(renderStatus(status, 80));
      expect(renderStatus(status, 80, colour).join('')).not.toBe(renderStatus(status, 80).join(''));
    }
  });

  it('uses ASCII alone where the locale cannot show more', () => {
    for (const line of renderStatus(evaluating, 80, ascii)) expect(line).toMatch(/^[\x20-\x7e]*$/);
  });

  it('lets no foreign text move the cursor', () => {
    const lines = renderStatus({ ...training, task: 'in\x1b[2Jsert', messages: ['a\r\nb\x1b]0;title\x07'] }, 80);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be absent
    for (const line of lines) expect(line).not.toMatch(/[\x00-\x1f\x7f]/);
  });

  it('shows harm first, however narrow the terminal', () => {
    const harmed = {
      ...training,
      filter: { ...training.filter, changedShare: 1, violations: 2 },
      link: { ...training.link, lost: 3 },
    };
    const text = renderStatus(harmed, 32).join('\n');
    expect(text).toContain('2 limit violations');
    expect(text).toContain('3 lost');
  });

  it('shows where the tool is, which key came last and how fast keys move, to whoever steers', () => {
    const steered: RunStatus = {
      ...training,
      tool: { positionM: [0.49, 0.13, 0.152], offsetM: [0.0012, -0.0304, 0], forceN: 3.14 },
      operator: {
        driving: 'you',
        keys: '? keys',
        person: { isInControl: true, isStopped: false, stepScale: 0.25, lastKey: 'w' },
      },
    };
    const lines = renderStatus(steered, 100);
    expect(lines).toContain('Tool       to go    1.2  -30.4    0.0 mm   force  3.1 N   at  490.0  130.0  152.0 mm');
    expect(lines).toContain('Driving: you   key w   speed 25 %   ? keys');
    const waiting = { ...steered, operator: { ...steered.operator, driving: 'policy' } };
    expect(renderStatus(waiting, 100).join('\n')).toContain('you from the next step on');
  });

  it('says what a person is asked for, first', () => {
    const asked = { ...training, operator: { driving: 'nobody', keys: '', prompt: 'Show 3 of 20: t' } };
    expect(renderStatus(asked, 80)).toContain('› Show 3 of 20: t');
  });

  it('cuts nothing of what a person has to do, which stands at the end', () => {
    const prompt =
      'The robot stands. A servo has started anew by itself: its torque is off, and its limits are those of the factory. Support the arm, look at it, then press c';
    for (const width of [60, 80, 160]) {
      const lines = renderStatus({ ...training, operator: { driving: 'nobody', keys: '', prompt } }, width);
      const from = lines.findIndex((line) => line.startsWith('› The robot'));
      expect(lines.slice(from, from + 3).join(' ')).toContain(prompt);
      expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(width);
      expect(lines.length).toBeLessThanOrEqual(17);
    }
  });

  it('has no word on a learner, on steps to come or on time left where there are none', () => {
    const alone: RunStatus = { ...training, utdTarget: 0, envStepsTotal: 0, phase: 'done' };
    const text = renderStatus(alone, 100).join('\n');
    expect(text).not.toMatch(/UTD|acked|left/);
    expect(text).toContain('Steps      1 240');
    expect(renderLine(alone)).not.toMatch(/UTD|pending|left/);
  });

  it('has no word on a policy or on help where people alone drive', () => {
    const alone: RunStatus = {
      ...training,
      policy: { version: 0, ageS: null, learnerVersion: 0, isAbsent: true },
      operator: { driving: 'nobody', keys: '' },
    };
    const text = renderStatus(alone, 100).join('\n');
    expect(text).not.toMatch(/untrained|Help|[Ss]uccess/);
    expect(text).toContain('Policy     none: people alone drive');
    const line = renderLine(alone);
    expect(line).not.toMatch(/policy v|help|success/);
    expect(line).toContain('| driving: nobody |');
    expect(line).toContain('| no policy |');
  });

  it('tells episodes with help apart, and how many successes an hour brings', () => {
    const helped = {
      ...training,
      success: { successes: 8, episodes: 10, helped: 3, rates: { successesPerHour: 61.4, humanStepShare: 0.1 } },
    };
    expect(renderStatus(helped, 120).join('\n')).toContain('n = 10 without help   3 more with help   61 successes/h');
  });

  it('gives the interval with the rate', () => {
    const row = renderStatus(training, 100).find((line) => line.startsWith('Success'));
    expect(row).toContain('86.0 %   95 %: 73.8 to 93.0 %   n = 50');
  });
});

it('tells a validation that goes on beside training as such', () => {
  const beside = {
    ...training,
    phaseProgress: { done: 40, total: 100, unit: 'episodes', beside: 'validating' as const },
  };
  expect(renderLine(beside)).toContain('training, validating 40/100 episodes |');
  expect(renderStatus(beside, 80)[2]).toMatch(/^Validat.*40/);
});

it('draws the arm beside the curve where there is room for both, within the width', () => {
  const jointsM = [
    [0, 0, 0],
    [0, 0, 0.5],
    [0.5, 0.1, 0.3],
  ];
  const steered = { ...training, tool: { positionM: [0.5, 0.1, 0.3], forceN: 0, jointsM } };
  const tool = (lines: readonly string[]): number => lines.filter((line) => line.includes('+')).length;
  const small = renderStatus(steered, 99, PLAIN, 40);
  expect(tool(renderStatus(steered, 100, PLAIN, 40))).toBe(tool(small) + 1);
  expect(renderStatus(steered, 100, PLAIN, 24)).toHaveLength(renderStatus(steered, 99, PLAIN, 24).length);
  expect(renderStatus(steered, 100, PLAIN, 40).join('\n')).toContain('100 % ');
  for (const line of renderStatus(steered, 120, colour, 60)) expect(columns(line)).toBeLessThanOrEqual(120);
});

describe('renderLine', () => {
  it('is one line with every figure, in every phase', () => {
    for (const phase of RUN_PHASES) {
      const line = renderLine({ ...training, phase });
      expect(line).not.toContain('\n');
      expect(line).toContain(phase);
    }
    expect(renderLine(training)).toMatchSnapshot();
  });
});

describe('text', () => {
  it('cuts coloured text without breaking its sequences', () => {
    const cut = fit('\x1b[31mabcdef\x1b[0m', 4, colour);
    expect(stripAnsi(cut)).toBe('abc…');
    expect(cut.endsWith('\x1b[0m')).toBe(true);
  });

  it('follows NO_COLOR and the locale', () => {
    expect(textStyle(true, {}).colour).toBe('ansi');
    expect(textStyle(true, { NO_COLOR: '1' }).colour).toBe('none');
    expect(textStyle(false, {}).colour).toBe('none');
    expect(textStyle(true, { LANG: 'C' }).glyphs).toBe('ascii');
    expect(textStyle(true, { LANG: 'de_DE.UTF-8' }).glyphs).toBe('unicode');
  });
});

class FakeTerminal implements DisplayStream {
  text = '';
  readonly isTTY: boolean;
  columns = 80;
  rows = 24;

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }
}

function display(isTTY: boolean): {
  stream: FakeTerminal;
  shown: TerminalDisplay;
  clock: { s: number };
  exit: () => void;
} {
  const stream = new FakeTerminal(isTTY);
  const clock = { s: 0 };
  let exit = (): void => {};
  const onExit = (restore: () => void): (() => void) => {
    exit = restore;
    return () => {
      exit = () => {};
    };
  };
  const shown = new TerminalDisplay({ stream, env: {}, nowS: () => clock.s, onExit });
  return { stream, shown, clock, exit: () => exit() };
}

describe('TerminalDisplay', () => {
  it('repaints in place at most ten times a second and gives the cursor back', () => {
    const { stream, shown, clock } = display(true);
    for (let i = 0; i < 100; i++) {
      clock.s = i / 100;
      shown.update(training);
    }
    expect(stream.text.split('\x1b[?2026h').length - 1).toBe(10);
    const lines = renderStatus(training, 80, PLAIN, 23).length;
    expect(stream.text).toContain(`\x1b[${lines}A\r`);
    expect(stream.text.split('\x1b[?25l').length - 1).toBe(1);
    shown.stop(evaluating);
    shown.stop();
    expect(stream.text.endsWith('\x1b[?25h')).toBe(true);
    expect(stream.text).toContain('120 of 200');
  });

  it('shows a new phase at once, however little time has passed', () => {
    const { stream, shown, clock } = display(true);
    shown.update(training);
    clock.s = 0.05;
    shown.update(evaluating);
    expect(stripAnsi(stream.text)).toContain('Rein · evaluating');
  });

  it('does not keep for ever what came too early to be painted', async () => {
    const { stream, shown, clock } = display(true);
    shown.update(training);
    clock.s = 0.05;
    const status = { ...training, messages: ['a late word'] };
    shown.update(status);
    expect(stripAnsi(stream.text)).not.toContain('late word');
    // The same object, changed since: its present state is painted.
    status.messages = ['a later word'];
    await vi.waitFor(() => expect(stripAnsi(stream.text)).toContain('a later word'));
    shown.stop();
  });

  it('gives the cursor back when the process ends without a stop', () => {
    const { stream, shown, exit } = display(true);
    shown.update(training);
    exit();
    expect(stream.text.endsWith('\x1b[?25h')).toBe(true);
  });

  it('stays inside a small terminal', () => {
    const { stream, shown } = display(true);
    stream.rows = 8;
    shown.update(training);
    expect(stream.text.split('\n').length - 1).toBe(7);
  });

  it('takes a size of nothing, as the ptys of programs have, for an ordinary screen', () => {
    const { stream, shown } = display(true);
    stream.columns = 0;
    stream.rows = 0;
    shown.update(training);
    const lines = renderStatus(training, 80, PLAIN, 23);
    expect(stripAnsi(stream.text).trimEnd().split('\n')).toHaveLength(lines.length);
    expect(stripAnsi(stream.text)).toContain(lines[2]);
  });

  it.each([
    [39, 24],
    [80, 7],
  ])('writes plain lines where %i × %i is no room for a picture', (columns, rows) => {
    const { stream, shown, clock } = display(true);
    Object.assign(stream, { columns, rows });
    for (let i = 0; i < 20; i++) {
      clock.s = i / 10;
      shown.update(training);
    }
    shown.stop();
    expect(stream.text.trimEnd().split('\n')).toEqual([renderLine(training), renderLine(training)]);
  });

  it('keeps printed lines above the repainted part', () => {
    const { stream, shown } = display(true);
    shown.update(training);
    stream.text = '';
    shown.print('saved');
    expect(stripAnsi(stream.text)).toMatch(/^\r?saved\n/);
    expect(stream.text).toContain('training');
  });

  it('prints plain lines, one a second and one a phase, where nobody watches', () => {
    const { stream, shown, clock } = display(false);
    for (let i = 0; i < 30; i++) {
      clock.s = i / 10;
      shown.update(i < 15 ? training : evaluating);
    }
    shown.stop();
    const lines = stream.text.trimEnd().split('\n');
    expect(lines.map((line) => (line.includes('evaluating') ? 'e' : 't')).join('')).toBe('ttee');
    expect(stream.text).not.toContain('\x1b');
  });
});
