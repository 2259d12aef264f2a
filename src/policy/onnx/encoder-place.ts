/** The frozen encoder of a policy that looks through one: learners send a node in its place, robots have its file. */
import {
  ENCODER_PLACE,
  forEachField,
  type InnerModel,
  inlineModel,
  ReinError,
  readModelInfo,
} from '../../core/index.ts';

/** An encoder's file, as the robot has it. */
export interface EncoderFile extends InnerModel {
  /** SHA-256, hexadecimal. */
  readonly digest: string;
}

const METADATA = 14;

/**
 * `graph` with `encoder` in its place; as it is where it has none. Throws `ReinError` ('policy') where the robot has no encoder or
 * another one than the learner.
 */
export function withEncoder(graph: Uint8Array, encoder: EncoderFile | undefined): Uint8Array {
  if (!readModelInfo(graph)?.ops.some(({ op }) => op === ENCODER_PLACE)) return graph;
  const wanted = encoderOf(graph);
  if (encoder?.digest === wanted) return inlineModel(graph, ENCODER_PLACE, encoder);
  const own =
    encoder === undefined ? 'this robot has none' : `this robot has ${encoder.file} (${short(encoder.digest)})`;
  throw new ReinError('policy', `The policy looks through the frozen encoder ${short(wanted)}, where ${own}.`, {
    remedy: 'Give robot and learner the same file as encoder.frozen.file of the learner.',
  });
}

/** What the policy's metadata says of its encoder. */
function encoderOf(graph: Uint8Array): string {
  let found = '';
  forEachField(graph, (field, content) => {
    if (field !== METADATA || content === undefined) return true;
    const texts: string[] = [];
    forEachField(content, (_, text) => texts.push(new TextDecoder().decode(text)) > 0);
    if (texts[0] === 'encoder') found = texts[1] ?? '';
    return true;
  });
  return found;
}

function short(digest: string): string {
  return digest.slice(0, 12);
}
