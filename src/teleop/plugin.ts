/** Operators of others: the plugin contract of the kind `operator`. */
import { type ActionSpec, checkGiven, type ObservationSpec, type PluginBase } from '../core/index.ts';
import type { TeleopSource } from './teleop-source.ts';

/** What an operator is made for. */
export interface OperatorContext<O = unknown> {
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  readonly policyHz: number;
  /** `demonstrator`: decides the whole episode. `overseer`: lets the policy try, and takes over when it wants to. */
  readonly role: 'demonstrator' | 'overseer';
  /** Of the run; a script draws all its chance from it, so that runs repeat. */
  readonly seed: number;
  /** `operator.options` of the task's file, as the plugin's own check gives them. */
  readonly options: O;
}

/** A kind of operator: a device in a person's hand, or a script. Its module is loaded in the node's process. */
export interface OperatorPlugin<O = unknown> extends PluginBase<O> {
  create(context: OperatorContext<O>): TeleopSource;
}

/** Refuses what a plugin called `name` gave for an operator where a node could not use it. Throws `ReinError('config')`. */
export function checkOperator(source: unknown, name: string): asserts source is TeleopSource {
  const refuse = checkGiven('operator', name, source);
  const given = source as Partial<TeleopSource>;
  if (typeof given.name !== 'string' || given.name === '') return refuse('it has no name');
  if (given.decidedBy !== 'human' && given.decidedBy !== 'scripted')
    return refuse('its decidedBy is neither human nor scripted');
}
