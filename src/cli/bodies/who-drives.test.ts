import { describe, expect, it } from 'vitest';
import { checkDriver, type DrivingPlace, remediesOf } from '../../session/who-drives.ts';
import { type CommandSpec, commanderOf } from '../command.ts';
import { recordCommand } from '../record.ts';
import { rewardCollectCommand } from '../reward.ts';
import { runCommand } from '../run.ts';
import { simCommand } from '../sim.ts';
import { teleopCommand } from '../teleop.ts';
import { pageHere } from './monitor.ts';
import { teleopBody } from './teleop.ts';

const COMMANDS = {
  run: runCommand,
  record: recordCommand,
  teleop: teleopCommand,
  sim: simCommand,
  'reward collect': rewardCollectCommand,
} as unknown as Record<DrivingPlace['command'], CommandSpec>;

const OPERATORS = ['keyboard', 'gamepad', 'spacemouse', 'none'] as const;
const LISTED = [[], ['keyboard'], ['gamepad'], ['pedal'], ['leader']] as const;

/** Every place in which a command can be started. */
function* places(): Generator<DrivingPlace> {
  const shown = { sim: ['scripted', 'keyboard', 'people'] } as Record<string, DrivingPlace['demonstrations'][]>;
  for (const command of Object.keys(COMMANDS) as DrivingPlace['command'][])
    for (const operator of OPERATORS)
      for (const demonstrations of shown[command] ?? [undefined])
        for (const listed of LISTED)
          for (const terminal of ['here', 'none'] as const)
            for (const page of ['operates', 'watches', 'none'] as const)
              for (const pluggedIn of [[], ['gamepad'], ['gamepad', 'spacemouse']] as const)
                for (const policy of ['given', 'none'] as const) {
                  // Refused earlier, by a message about the device.
                  if (
                    operator !== 'keyboard' &&
                    operator !== 'none' &&
                    !(pluggedIn as readonly string[]).includes(operator)
                  )
                    continue;
                  if (command === 'reward collect' && pluggedIn.some((device) => device === operator)) continue;
                  if (command === 'sim' && (operator === 'none' || page === 'watches')) continue;
                  yield { command, operator, demonstrations, listed, terminal, page, pluggedIn, policy };
                }
}

function refusalIn(place: DrivingPlace): (Error & { remedy?: string }) | undefined {
  try {
    checkDriver(place);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Options of `name` after parsing. */
async function optionsOf(name: DrivingPlace['command'], words: readonly string[]): Promise<Record<string, unknown>> {
  let read: Record<string, unknown> = {};
  const command = commanderOf(COMMANDS[name], async (options) => {
    read = options;
  });
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  const required = name === 'reward collect' ? ['--task', 'insert', '--out', 'labels.jsonl'] : [];
  await command.parseAsync(['node', 'rein', ...required, ...words]);
  return read;
}

/** `place` after these options are typed too, parsed by the command itself. */
async function typed(place: DrivingPlace, words: string): Promise<DrivingPlace> {
  const { operator, demonstrations } = place;
  const before = [
    `--operator ${operator}`,
    ...(demonstrations === undefined ? [] : [`--demonstrations ${demonstrations}`]),
  ];
  const read = await optionsOf(place.command, [...before.join(' ').split(' '), ...words.split(' ')]);
  const asked = pageHere({ output: 'quiet', ...read } as Parameters<typeof pageHere>[0]);
  return {
    ...place,
    operator: read['operator'] as DrivingPlace['operator'],
    demonstrations: place.command === 'sim' ? (read['demonstrations'] as DrivingPlace['demonstrations']) : undefined,
    page: read['monitor'] === undefined ? place.page : place.command === 'sim' && asked !== 'none' ? 'operates' : asked,
    policy: read['policy'] === undefined ? place.policy : 'given',
  };
}

it.each(['run', 'record', 'teleop', 'reward collect'] as const)(
  'rein %s, in which people may drive alone, takes --speed-mode full, which its start names',
  async (name) => expect((await optionsOf(name, ['--speed-mode', 'full']))['speedMode']).toBe('full'),
);

describe('a refusal because nobody could drive', () => {
  it('names options only that the same command accepts in the same place, and names some wherever there are any', async () => {
    let [refused, tried] = [0, 0];
    for (const place of places()) {
      const refusal = refusalIn(place);
      if (refusal === undefined) continue;
      refused++;
      const remedies = remediesOf(place);
      for (const words of remedies) {
        tried++;
        expect(refusal.remedy).toContain(words);
        expect(refusalIn(await typed(place, words)), `${JSON.stringify(place)} ${words}`).toBeUndefined();
      }
      const inTerminal = refusal.remedy?.includes('Start it in a terminal') === true;
      expect(remedies.length > 0 || inTerminal, JSON.stringify(place)).toBe(true);
    }
    expect([refused > 100, tried > 100]).toEqual([true, true]);
  });

  it.each(['record', 'teleop'] as const)(
    'is not made of rein %s without a terminal, where a page may operate',
    (command) => {
      const place = {
        command,
        demonstrations: undefined,
        listed: [],
        terminal: 'none',
        pluggedIn: [],
        policy: 'none',
      } as const;
      expect(refusalIn({ ...place, operator: 'none', page: 'operates' })).toBeUndefined();
      expect(refusalIn({ ...place, operator: 'none', page: 'watches' })?.message).toContain('no token to operate with');
      const { remedy } = refusalIn({ ...place, operator: 'keyboard', page: 'watches' })!;
      expect(remedy).toContain('Start it in a terminal, or take --operator none --monitor 7400 --monitor-token FILE');
    },
  );

  it('is made by the command, before anything moves', async () => {
    const given = { robot: 'arm7', speedRatio: 0.25, rateHz: 10, output: 'quiet' } as Parameters<typeof teleopBody>[0];
    await expect(teleopBody({ ...given, operator: 'keyboard' })).rejects.toThrow('needs a terminal of its own');
    await expect(teleopBody({ ...given, operator: 'none' })).rejects.toThrow('No operator to drive');
  });
});
