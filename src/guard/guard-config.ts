/** Everything a guard process is started with, as plain data in one JSON file that whoever starts it writes. */
import { z } from 'zod';
import { type ActionSpec, asObject, modelOfBase, ReinError, type RobotModel } from '../core/index.ts';
import { type DriverSpec, driverKind, driverSpecSchema } from '../drivers/index.ts';
import { actionSchema, armModel, BASE_NEEDS, baseModel, dimensionSchema, refusalOf } from '../schema/index.ts';

export interface GuardConfig {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  readonly policyPeriodS: number;
  /** No joint goes faster than this share of its highest speed; all of it where absent. */
  readonly speedRatioMax?: number | undefined;
  readonly driver: DriverSpec;
  /** Where the node connects: a path that only this user can open, at most 107 bytes. */
  readonly socketPath: string;
  /**
   * Who may acknowledge, enable and activate. `supervisor`: whoever started this guard, over the channel between the two
   * processes, which no other has; the node may not. `node`: whoever is connected, as the node serves people too.
   */
  readonly authority: 'supervisor' | 'node';
  /** `try`: raise the tick's thread to real-time priority where that is allowed. `no`: leave it. */
  readonly realTimePriority: 'try' | 'no';
  /**
   * Compiles the tick before the driver is made, in seconds of work, though nothing real moves: for benches that judge how late ticks
   * are. The guard of anything that may be real always does.
   */
  readonly warmUp?: true | undefined;
  /** `lock-step`: ticks pass when the node asks for them, and nothing judges the machine. Absent: at their deadlines. */
  readonly timing?: 'lock-step' | undefined;
}

/**
 * An arm and its action as their files have them, without the most that those allow of leash and reach: a bench drives an arm that has
 * room to be at full speed.
 */
const arm = armModel.extend({ leashM: z.number().positive(), leashRad: z.number().positive() });
const reaching = actionSchema.extend({
  dimensions: z
    .array(dimensionSchema.extend({ scale: z.number().positive() }))
    .min(1)
    .max(16),
});

/** `the driver ./my-arm.js`, as messages name it: a module of others by its file. */
export function driverTitle({ driver: { name, options } }: Pick<GuardConfig, 'driver'>): string {
  const module = asObject(options)?.['module'];
  return `the driver ${typeof module === 'string' ? module : name}`;
}

/** Whether the driver is a simulation or a mock, so that nothing real hangs on when its ticks come. */
export function movesNothing({ driver }: Pick<GuardConfig, 'driver'>): boolean {
  return driverKind(driver.name).movesNothing === true;
}

/** All but the model, which is an arm's or a base's. */
const schema = z.strictObject({
  model: z.unknown(),
  action: reaching,
  policyPeriodS: z.number().positive(),
  speedRatioMax: z.number().gt(0).max(1).optional(),
  driver: driverSpecSchema,
  socketPath: z.string().min(1),
  authority: z.enum(['supervisor', 'node']),
  realTimePriority: z.enum(['try', 'no']),
  warmUp: z.literal(true).optional(),
  timing: z.literal('lock-step').optional(),
});

/** The configuration in `text`. Throws `ReinError('config')` with the first thing that is wrong: no robot moves by such a file. */
export function parseGuardConfig(text: string): GuardConfig {
  const value: unknown = JSON.parse(text);
  const refusal = refusalOf(schema, value);
  if (refusal !== undefined) throw new ReinError('config', refusal);
  const { model, ...rest } = schema.parse(value);
  if (rest.timing === 'lock-step' && !movesNothing(rest))
    throw new ReinError('config', `timing must be left out: ${driverTitle(rest)} may move something real`);
  const fields = asObject(model);
  return { ...rest, model: fields?.['base'] === undefined ? armOf(model) : baseOf(fields) };
}

function armOf(model: unknown): RobotModel {
  refuseModel(refusalOf(arm, model));
  return arm.parse(model);
}

/** A base's axes are not looked at but made anew from its limits. */
function baseOf({ name, base, controlHz }: Record<string, unknown>): RobotModel {
  const written = { name, base, controlHz };
  refuseModel(refusalOf(baseModel, written));
  const limits = baseModel.parse(written);
  const lacking = BASE_NEEDS[limits.base.kind].find((key) => limits.base[key] === undefined);
  refuseModel(lacking && `base.${lacking} is missing`);
  return modelOfBase(limits.name, limits.base, limits.controlHz);
}

/** Throws where something is wrong with the model. */
function refuseModel(wrong: string | undefined): void {
  if (wrong !== undefined) throw new ReinError('config', `the robot's model is wrong: ${wrong}`);
}

/**
 * What Node is started with for a guard; [why](../../bench/README.md#the-tick). V8 collects garbage on the thread that it belongs to,
 * and the tick's thread between two ticks: a tick with real-time priority would else wait for helpers. What is young has the least
 * room, 1 MB: V8 gives back the memory of a larger one where little was left in it, and takes it again, in up to 2 ms. It compiles on
 * one helper, which `raiseHelperThreads` raises: on the tick's own thread a function took up to 12 ms. The loop around the ticks is
 * not compiled while it runs, which held one of them up by 9 ms.
 */
export const GUARD_NODE_FLAGS: readonly string[] = [
  '--single-threaded-gc',
  '--min-semi-space-size=1',
  '--max-semi-space-size=1',
  '--v8-pool-size=1',
  '--expose-gc',
  '--no-use-osr',
];
