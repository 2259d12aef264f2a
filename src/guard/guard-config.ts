/** Everything a guard process is started with, as plain data in one JSON file that whoever starts it writes. */
import { z } from 'zod';
import { type ActionSpec, modelOfBase, ReinError, type RobotModel } from '../core/index.ts';
import { type DriverSpec, driverSpecSchema } from '../drivers/index.ts';
import { actionSchema, armModel, BASE_NEEDS, baseModel, dimensionSchema, refusalOf } from '../schema/index.ts';

export interface GuardConfig {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  readonly policyPeriodS: number;
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

/** All but the model, which is an arm's or a base's. */
const schema = z.strictObject({
  model: z.unknown(),
  action: reaching,
  policyPeriodS: z.number().positive(),
  driver: driverSpecSchema,
  socketPath: z.string().min(1),
  authority: z.enum(['supervisor', 'node']),
  realTimePriority: z.enum(['try', 'no']),
});

/** The configuration in `text`. Throws `ReinError('config')` with the first thing that is wrong: no robot moves by such a file. */
export function parseGuardConfig(text: string): GuardConfig {
  const value: unknown = JSON.parse(text);
  const refusal = refusalOf(schema, value);
  if (refusal !== undefined) throw new ReinError('config', refusal);
  const { model, ...rest } = schema.parse(value);
  const wrong = modelRefusal(model);
  if (wrong !== undefined) throw new ReinError('config', `the robot's model is wrong: ${wrong}`);
  return { ...rest, model: modelFrom(model) };
}

/**
 * Problems of `model`, in words, or nothing. A base's axes are not looked at but made anew from its limits by `modelFrom`.
 */
function modelRefusal(model: unknown): string | undefined {
  if (!isBase(model)) return refusalOf(arm, model);
  const refusal = refusalOf(baseModel, limitsOf(model));
  if (refusal !== undefined) return refusal;
  const { base } = baseModel.parse(limitsOf(model));
  const lacking = BASE_NEEDS[base.kind].find((key) => base[key] === undefined);
  return lacking === undefined ? undefined : `base.${lacking} is missing`;
}

/** The model that `model`, which `modelRefusal` has nothing against, stands for. */
function modelFrom(model: unknown): RobotModel {
  if (!isBase(model)) return arm.parse(model);
  const { name, base, controlHz } = baseModel.parse(limitsOf(model));
  return modelOfBase(name, base, controlHz);
}

type Written = Readonly<Record<'name' | 'base' | 'controlHz', unknown>>;

function isBase(model: unknown): model is Written {
  return typeof model === 'object' && model !== null && 'base' in model;
}

function limitsOf({ name, base, controlHz }: Written): Written {
  return { name, base, controlHz };
}

/**
 * What Node is started with for a guard. V8's compiler and collector then do all their work on the thread it belongs to:
 * otherwise a tick with real-time priority waits for helper threads that have none (measured: p99.9 of 17 ms instead of
 * 0.9 ms beside a load on every core).
 */
export const GUARD_NODE_FLAGS: readonly string[] = ['--single-threaded'];
