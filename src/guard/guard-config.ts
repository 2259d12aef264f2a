/** Start-up configuration of a guard process, as plain data in one JSON file written by the process that starts it. */
import { z } from 'zod';
import { type DriverSpec, driverKind, driverSpecSchema } from '../drivers/index.ts';
import { type ActionSpec, asObject, modelOfBase, ReinError, type RobotModel } from '../model/index.ts';
import { actionSchema, armModel, BASE_NEEDS, baseModel, dimensionSchema, refusalOf } from '../schema/index.ts';

export interface GuardConfig {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  readonly policyPeriodS: number;
  /** Upper bound of all joints' speed as a fraction of their velocity limits; 1 if absent. */
  readonly speedRatioMax?: number | undefined;
  readonly driver: DriverSpec;
  /** Unix socket for the node: a path that only this user can open, at most 107 bytes. */
  readonly socketPath: string;
  /**
   * Source of the operator's requests acknowledge, enable and activate. `supervisor`: the parent of this guard, over their private
   * channel; the node may not. `node`: any connected node, as it serves the operator too.
   */
  readonly authority: 'supervisor' | 'node';
  /** `try`: raise the tick's thread to real-time priority if permitted. `no`: leave it. */
  readonly realTimePriority: 'try' | 'no';
  /**
   * Compiles the tick before the driver is created, which takes seconds, even if nothing real moves: for benches of tick lateness.
   * The guard of a possibly real robot always does.
   */
  readonly warmUp?: true | undefined;
  /** `lock-step`: ticks run when the node requests them, and timing is not monitored. Absent: at their deadlines. */
  readonly timing?: 'lock-step' | undefined;
}

/**
 * Schemas of an arm and its action without the files' upper bounds on leash and scale: a bench drives an arm that has room for full
 * speed.
 */
const arm = armModel.extend({ leashM: z.number().positive(), leashRad: z.number().positive() });
const reaching = actionSchema.extend({
  dimensions: z
    .array(dimensionSchema.extend({ scale: z.number().positive() }))
    .min(1)
    .max(16),
});

/** `the driver ./my-arm.js`, for messages: a third-party module by its file. */
export function driverTitle({ driver: { name, options } }: Pick<GuardConfig, 'driver'>): string {
  const module = asObject(options)?.['module'];
  return `the driver ${typeof module === 'string' ? module : name}`;
}

/** True if the driver is a simulation or a mock, so that tick timing affects nothing real. */
export function movesNothing({ driver }: Pick<GuardConfig, 'driver'>): boolean {
  return driverKind(driver.name).movesNothing === true;
}

/** All keys but the model, which is an arm's or a base's. */
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

/** Parses the configuration in `text`. Throws `ReinError('config')` with the first problem: no robot moves with such a file. */
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

/** A base's axes are not read but recomputed from its limits. */
function baseOf({ name, base, controlHz }: Record<string, unknown>): RobotModel {
  const written = { name, base, controlHz };
  refuseModel(refusalOf(baseModel, written));
  const limits = baseModel.parse(written);
  const lacking = BASE_NEEDS[limits.base.kind].find((key) => limits.base[key] === undefined);
  refuseModel(lacking && `base.${lacking} is missing`);
  return modelOfBase(limits.name, limits.base, limits.controlHz);
}

/** Throws if the model is wrong. */
function refuseModel(wrong: string | undefined): void {
  if (wrong !== undefined) throw new ReinError('config', `the robot's model is wrong: ${wrong}`);
}

/**
 * Node flags of a guard process; [why](../../bench/README.md#the-tick). V8 collects garbage on the allocating thread, and on the tick's
 * thread between two ticks: a tick with real-time priority would otherwise wait for helper threads. The young generation has the minimum,
 * 1 MB: V8 shrinks a larger one after a collection and grows it again, in up to 2 ms. One helper compiles, raised by
 * `raiseHelperThreads`: on the tick's own thread a function took up to 12 ms. On-stack replacement of the loop around the ticks is
 * disabled, as it delayed a tick by 9 ms.
 */
export const GUARD_NODE_FLAGS: readonly string[] = [
  '--single-threaded-gc',
  '--min-semi-space-size=1',
  '--max-semi-space-size=1',
  '--v8-pool-size=1',
  '--expose-gc',
  '--no-use-osr',
];
