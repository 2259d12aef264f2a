import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ReinError } from '../model/index.ts';
import { main, type RunCommand, watchReader } from './main.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
  /** The command that ran, and its options. */
  readonly command: string | undefined;
  readonly options: unknown;
}

/** Runs `rein ARGS` with command bodies that only return `code`, or throw `failure`. */
async function rein(line: string, answer: { code?: number; failure?: unknown } = {}): Promise<Ran> {
  let out = '';
  let error = '';
  let command: string | undefined;
  let options: unknown;
  const run: RunCommand = async ({ spec }, given) => {
    command = spec.name;
    options = given;
    if ('failure' in answer) throw answer.failure;
    return answer.code ?? 0;
  };
  const output = {
    out: (text: string) => {
      out += text;
    },
    error: (text: string) => {
      error += text;
    },
  };
  const code = await main(line.split(' ').filter(Boolean), run, output);
  return { code, out, error, command, options };
}

describe('what a command line is understood as', () => {
  it('recover explains unless it is told to mend', async () => {
    expect((await rein('recover runs/a1')).options).toEqual({ path: 'runs/a1', mend: false, json: false });
    expect((await rein('recover runs/a1 --mend --json')).options).toEqual({ path: 'runs/a1', mend: true, json: true });
    expect((await rein('recover')).code).toBe(2);
  });

  it('sim has defaults for everything', async () => {
    const { code, command, options } = await rein('sim');
    expect([code, command]).toEqual([0, 'sim']);
    expect(options).toEqual({
      task: 'insert',
      seed: 0,
      demonstrations: 'scripted',
      operator: 'keyboard',
      steps: undefined,
      evalEpisodes: undefined,
      config: undefined,
      json: undefined,
      out: undefined,
      trace: 'on',
      output: 'live',
    });
  });

  it('sim takes all its options', async () => {
    const line =
      'sim --task insert-tight --seed 3 --operator gamepad --demonstrations people --steps 500 --eval-episodes 20 --config c.yaml --json s.json --out runs/x --trace off --quiet';
    expect((await rein(line)).options).toEqual({
      task: 'insert-tight',
      seed: 3,
      demonstrations: 'people',
      operator: 'gamepad',
      steps: 500,
      evalEpisodes: 20,
      config: 'c.yaml',
      json: 's.json',
      out: 'runs/x',
      trace: 'off',
      output: 'quiet',
    });
  });

  it('run takes robot, learner, policy, operator and duration', async () => {
    const { options } = await rein(
      'run --robot-id arm_2 --learner tcp://10.0.0.1:7350 --policy p.onnx --operator keyboard --duration 1.5',
    );
    expect(options).toMatchObject({
      task: 'insert',
      robotId: 'arm_2',
      learner: 'tcp://10.0.0.1:7350',
      policy: 'p.onnx',
      operator: 'keyboard',
      durationS: 1.5,
    });
    expect((await rein('run')).options).toMatchObject({
      robotId: 'robot1',
      learner: undefined,
      operator: 'none',
      durationS: undefined,
    });
  });

  it('learn listens on this machine only, and names no task of a resumed run', async () => {
    expect((await rein('learn')).options).toMatchObject({
      task: undefined,
      bind: 'tcp://127.0.0.1:7350',
      resume: undefined,
      from: undefined,
    });
    expect((await rein('learn --bind tcp://127.0.0.1:0')).options).toMatchObject({ bind: 'tcp://127.0.0.1:0' });
    expect((await rein('learn --resume runs/a1')).options).toMatchObject({ task: undefined, resume: 'runs/a1' });
  });

  it('eval refuses a configuration that it would not use', async () => {
    const refused = await rein('eval --policy p.onnx --config c.yaml');
    expect(refused).toMatchObject({
      code: 2,
      command: undefined,
      error: expect.stringContaining('--config needs --task'),
    });
    expect((await rein('eval --policy p.onnx --config c.yaml --task insert')).options).toMatchObject({
      config: 'c.yaml',
    });
  });

  it('eval takes the task of the policy unless told otherwise', async () => {
    expect((await rein('eval --policy p.onnx')).options).toMatchObject({
      policy: 'p.onnx',
      task: undefined,
      episodes: undefined,
      seed: 0,
    });
    expect((await rein('eval --policy p.onnx --task insert --episodes 9')).options).toMatchObject({
      task: 'insert',
      episodes: 9,
    });
  });

  it('safety check has defaults for everything, and stages that may be repeated', async () => {
    const { code, command, options } = await rein('safety check arm6');
    expect([code, command]).toEqual([0, 'safety check']);
    expect(options).toEqual({
      subject: 'arm6',
      limits: undefined,
      accelMaxRadPerS2: undefined,
      payloadMaxKg: undefined,
      ticks: 100_000,
      seed: 1,
      chain: 'on',
      without: [],
      fixed: [],
      packages: {},
      out: '.',
      timeLimitS: undefined,
      json: undefined,
      output: 'live',
    });
    const theirs = await rein(
      'safety check a.urdf --accel 10 --payload 2.5 --fixed one --fixed two --package mine=/ws/mine --package m=/m --time-limit 60',
    );
    expect(theirs.options).toMatchObject({
      accelMaxRadPerS2: 10,
      payloadMaxKg: 2.5,
      fixed: ['one', 'two'],
      packages: { mine: '/ws/mine', m: '/m' },
      timeLimitS: 60,
    });
    const changed = await rein(
      'safety check a.urdf --limits l.yaml --ticks 9 --chain off --without tank --without shield',
    );
    expect(changed.options).toMatchObject({ limits: 'l.yaml', chain: 'off', without: ['tank', 'shield'] });
  });

  it('train, pretrain and sweep take lists, and values as YAML writes them', async () => {
    expect(
      (await rein('train --set utd=20 --set actorHidden=[8,8] --set name=x --option hard=true')).options,
    ).toMatchObject({
      learnerKeys: { utd: 20, actorHidden: [8, 8], name: 'x' },
      environmentOptions: { hard: true },
      checkpointEveryS: 20,
      evaluateEvery: 500,
      randomSteps: undefined,
    });
    expect((await rein('train --checkpoint-every 0')).options).toMatchObject({ checkpointEveryS: 0, learnerKeys: {} });
    expect((await rein('sweep pendulum --only a b --page')).options).toEqual({
      study: 'pendulum',
      jobs: 1,
      only: ['a', 'b'],
      out: undefined,
      mode: 'page',
    });
    expect((await rein('pretrain --run a --env b --out c')).error).toContain(
      "'--run <dir>' cannot be used with option '--env",
    );
    expect((await rein('train --set x')).error).toContain('It must be key=value.');
    expect((await rein('train --set x={}')).error).toContain('The value must be a number');
  });

  it.each([
    ['safety check', 'missing required argument'],
    ['safety check arm6 --ticks 0', 'whole number from 1'],
    ['safety check arm6 --without brakes', 'There is no stage "brakes"; there are sanitize, actionMap'],
    ['safety check a.urdf --package mine', 'It must be NAME=FOLDER'],
    ['safety check a.urdf --accel fast', 'It must be a number above 0'],
    ['safety check arm6 --chain maybe', 'Allowed choices are on, off'],
  ])('%s is misuse', async (line, message) => {
    const { code, error, command } = await rein(line);
    expect([code, command]).toEqual([2, undefined]);
    expect(error).toContain(message);
    expect(error).toContain('Try: rein safety check --help');
  });

  it('a wrong file of a check is misuse too; of a run it is not', async () => {
    const failure = new ReinError('config', 'robot.yaml:3:5: no');
    expect((await rein('safety check arm6', { failure })).code).toBe(2);
    expect((await rein('sim', { failure })).code).toBe(1);
    expect((await rein('safety check arm6', { failure: new ReinError('storage', 'full') })).code).toBe(1);
  });

  it('doctor prints a table or JSON', async () => {
    expect((await rein('doctor')).options).toEqual({ format: 'table' });
    expect((await rein('doctor --json')).options).toEqual({ format: 'json' });
  });
});

describe('misuse', () => {
  it.each([
    ['smi', 'unknown command \'smi\', did you mean "sim"?'],
    ['sim --sed 3', 'unknown option \'--sed\', did you mean "--seed"?'],
    ['sim --seed', "option '--seed <n>' argument missing"],
    ['sim --seed -1', "argument '-1' is invalid. It must be a whole number from 0 to 9007199254740991."],
    ['sim --seed 1.5', "argument '1.5' is invalid."],
    ['sim --seed 1e3', "argument '1e3' is invalid."],
    ['sim --eval-episodes 0', 'It must be a whole number from 1 to 100000.'],
    ['sim extra', "too many arguments for 'sim'"],
    ['run --learner 10.0.0.1', 'It must be an address such as tcp://127.0.0.1:7350.'],
    ['run --learner tcp://host:99999', 'It must be an address such as tcp://127.0.0.1:7350.'],
    ['run --learner tcp://127.0.0.1:0', 'It must be an address such as tcp://127.0.0.1:7350.'],
    ['learn --bind tcp://*:7350', 'It must be an address such as tcp://127.0.0.1:7350.'],
    ['run --robot-id ../x', 'It must be 1 to 64 letters, digits, ".", "_" or "-".'],
    ['run --operator nobody', 'Allowed choices are scripted, keyboard, gamepad, spacemouse, none.'],
    ['run --duration 10s', 'It must be a number of seconds > 0 and at most 2000000, without a unit.'],
    ['run --duration 3000000', 'It must be a number of seconds > 0 and at most 2000000, without a unit.'],
    ['run --duration 0', 'It must be a number of seconds > 0 and at most 2000000, without a unit.'],
    ['learn --resume runs/a --task insert', "option '--resume <dir>' cannot be used with option '--task <name>'"],
    ['eval', "required option '--policy <file>' not specified"],
  ])('rein %s is refused with code 2', async (line, reason) => {
    const { code, out, error, command } = await rein(line);
    expect(code).toBe(2);
    expect(error).toContain(reason);
    expect(error).toMatch(/^rein: [\s\S]*\nTry: rein [\s\S]*--help\n$/);
    expect(out).toBe('');
    expect(command).toBeUndefined();
  });

  it('rein alone shows the help on stderr', async () => {
    const { code, out, error } = await rein('');
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain('Usage: rein');
  });
});

describe('how commands end', () => {
  it('passes on the exit code of the command', async () => {
    expect((await rein('sim', { code: 1 })).code).toBe(1);
  });

  it('prints trouble as one sentence with its remedy', async () => {
    const failure = new ReinError('link', 'port 7350 is in use', { remedy: 'choose another --bind' });
    const { code, error } = await rein('learn', { failure });
    expect(code).toBe(1);
    expect(error).toBe('rein: port 7350 is in use\n  → choose another --bind\n');
  });

  it('prints several problems as they are, and then that they are the reason', async () => {
    const { error } = await rein('sim', { failure: new ReinError('config', 'a.yaml:1:2: x\na.yaml:3:4: y') });
    expect(error).toBe('a.yaml:1:2: x\na.yaml:3:4: y\nrein: the lines above say what is wrong.\n');
  });

  it('prints a mistake of ours with its stack', async () => {
    const { code, error } = await rein('sim', { failure: new TypeError('x is undefined') });
    expect(code).toBe(1);
    expect(error).toMatch(/^rein: this is a mistake in Rein, please report it .*\nTypeError: x is undefined\n {4}at /);
    expect((await rein('sim', { failure: 'text' })).error).toContain('text');
  });
});

describe('help', () => {
  it.each(['sim', 'run', 'learn', 'eval', 'doctor', 'safety check'])(
    'rein %s --help teaches: what happens, examples, exit codes',
    async (name) => {
      const { code, out, error, command } = await rein(`${name} --help`);
      expect([code, error, command]).toEqual([0, '', undefined]);
      for (const part of [
        `Usage: rein ${name}`,
        'Options:',
        'What happens:',
        'Examples:',
        `$ rein ${name}`,
        'Exit codes:',
      ])
        expect(out).toContain(part);
      for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
      if (!name.includes(' ')) expect((await rein(`help ${name}`)).out).toBe(out);
    },
  );

  it.each(['sim', 'run', 'learn', 'eval'])(
    'every example of rein %s --help is a command line that is understood',
    async (name) => {
      const { out } = await rein(`${name} --help`);
      const examples = [...out.matchAll(/^ {2}\$ rein (.+?)(?: {2,}.*)?$/gm)].map((match) => match[1]!);
      expect(examples.length).toBeGreaterThan(1);
      for (const example of examples) expect(await rein(example), example).toMatchObject({ code: 0, error: '' });
    },
  );

  it('lists all commands', async () => {
    const { code, out } = await rein('--help');
    expect(code).toBe(0);
    for (const name of ['sim', 'run', 'learn', 'eval', 'safety', 'doctor'])
      expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it('prints the version', async () => {
    expect(await rein('--version')).toMatchObject({
      code: 0,
      error: '',
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});

describe('a reader that goes away', () => {
  const LONG = [['sim'], ['run'], ['learn'], ['train'], ['sweep', 'mine.yaml'], ['safety', 'identify', 'arm6']];
  // The last one is the page of a folder named like a command.
  const SHORT = [['doctor'], ['--help'], ['eval'], ['report', 'run']];
  afterEach(() => vi.restoreAllMocks());

  async function goneReader(...args: string[]) {
    let endsInOrder = false;
    const run: RunCommand = async ({ spec }) => {
      endsInOrder = spec.endsInOrder === true;
      return 0;
    };
    await main(args, run, { out: () => undefined, error: () => undefined });
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    const onTerm = vi.fn();
    process.on('SIGTERM', onTerm);
    const stdout = new EventEmitter();
    watchReader(stdout as unknown as NodeJS.WriteStream, () => endsInOrder);
    for (let i = 0; i < 3; i++) stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    process.off('SIGTERM', onTerm);
    return { exits: exit.mock.calls, terms: onTerm.mock.calls.length };
  }

  it.each(LONG)('asks %s once to end in order', async (...args) => {
    expect(await goneReader(...args)).toEqual({ exits: [], terms: 1 });
  });

  it.each(SHORT)('ends %s quietly', async (...args) => {
    expect(await goneReader(...args)).toMatchObject({ exits: expect.arrayContaining([[0]]), terms: 0 });
  });
});
