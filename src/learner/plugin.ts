/** Algorithms of others: the plugin contract of the kind `algorithm`. */
import type { PluginBase } from '../core/index.ts';
import type { Algorithm } from './update/algorithm.ts';

/** A kind of algorithm. Its module is loaded by the learner's process and the thread of its engine. */
export interface AlgorithmPlugin<O = unknown> extends PluginBase<O> {
  /** `options`: `algorithmOptions` of the learner's file, as the plugin's own check gives them. Pure: the same options, the same algorithm. */
  create(options: O): Algorithm;
}
