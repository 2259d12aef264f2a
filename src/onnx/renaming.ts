/** Renames every value of an ONNX graph, including branches and loops, and converts operations from before opset 18 to it. */
import { forEachField, type ProtoWriter } from '../rows/index.ts';
import { readModelInfo } from './model-info.ts';
import { ATTRIBUTE, GRAPH, NODE, plainText, TENSOR, textOf } from './model-value.ts';

const [INT, INT64] = [2, 7];

/** Opset from which on reductions take their axes as an input and Split its number of parts (its changelog, opset 18). */
const AXES_AS_INPUT = 18;
const REDUCTIONS = new Set(['Max', 'Min', 'Mean', 'Prod', 'L1', 'L2', 'LogSum', 'LogSumExp', 'SumSquare']);

export class Renaming {
  readonly #prefix: string;
  readonly #names: Readonly<Record<string, string>>;
  readonly #isOld: boolean;
  /** Former axes attributes, by the name of the constant that replaces each. */
  readonly #axes: { readonly name: string; readonly axes: readonly bigint[] }[] = [];

  /** Renames as in `names`; other names get `prefix` and a slash in front. `model`: the model whose opset decides the conversion. */
  constructor(prefix: string, names: Readonly<Record<string, string>>, model: Uint8Array) {
    this.#prefix = prefix;
    this.#names = names;
    this.#isOld = (readModelInfo(model)?.opsets.get('') ?? AXES_AS_INPUT) < AXES_AS_INPUT;
  }

  /** Writes the `NodeProto` in `bytes`. */
  node(w: ProtoWriter, bytes: Uint8Array): void {
    const op = this.#isOld ? textOf(bytes, NODE.op) : '';
    const isReduction = op.startsWith('Reduce') && REDUCTIONS.has(op.slice('Reduce'.length));
    const outputs: string[] = [];
    let inputs = 0;
    const axes: bigint[] = [];
    forEachField(bytes, (field, content, _, whole) => {
      if (field === NODE.input) inputs++;
      if (field === NODE.output) outputs.push(this.#rename(plainText(content!)));
      if (field === NODE.input || field === NODE.output || field === NODE.name) {
        w.text(field, this.#rename(plainText(content!)));
      } else if (field !== NODE.attribute) w.raw(whole);
      else if (isReduction && textOf(content!, ATTRIBUTE.name) === 'axes') axes.push(...intsOf(content!));
      else w.message(NODE.attribute, (a) => this.#attribute(a, content!));
      return true;
    });
    if (axes.length > 0) {
      const name = `${outputs[0]}/axes`;
      this.#axes.push({ name, axes });
      w.text(NODE.input, name);
    }
    if (op === 'Split' && inputs === 1) w.message(NODE.attribute, (a) => writeInt(a, 'num_outputs', outputs.length));
  }

  /** Writes the `TensorProto` in `bytes`. */
  tensor(w: ProtoWriter, bytes: Uint8Array): void {
    forEachField(bytes, (field, content, _, whole) => {
      if (field === TENSOR.name) w.text(field, this.#rename(plainText(content!)));
      else w.raw(whole);
      return true;
    });
  }

  /** Writes the `SparseTensorProto` in `bytes`, whose values carry its name. */
  sparseTensor(w: ProtoWriter, bytes: Uint8Array): void {
    forEachField(bytes, (field, content, _, whole) => {
      if (field === 1) w.message(field, (t) => this.tensor(t, content!));
      else w.raw(whole);
      return true;
    });
  }

  /** Writes the constants that replace axes attributes into the outermost graph. */
  writeAxes(w: ProtoWriter): void {
    for (const { name, axes } of this.#axes) {
      w.message(GRAPH.initializer, (t) => {
        t.int(TENSOR.dims, axes.length);
        t.int(TENSOR.type, INT64);
        t.text(TENSOR.name, name);
        t.bytes(TENSOR.raw, new Uint8Array(BigInt64Array.from(axes).buffer));
      });
    }
  }

  #attribute(w: ProtoWriter, bytes: Uint8Array): void {
    forEachField(bytes, (field, content, _, whole) => {
      const isGraph = field === ATTRIBUTE.graph || field === ATTRIBUTE.graphs;
      if (isGraph) w.message(field, (g) => this.#graph(g, content!));
      else w.raw(whole);
      return true;
    });
  }

  /** Rewrites a branch or a loop's body. Mere annotations of values, shapes and quantisation are dropped. */
  #graph(w: ProtoWriter, bytes: Uint8Array): void {
    forEachField(bytes, (field, content, _, whole) => {
      if (field === GRAPH.node) w.message(field, (n) => this.node(n, content!));
      else if (field === GRAPH.initializer) w.message(field, (t) => this.tensor(t, content!));
      else if (field === GRAPH.sparse) w.message(field, (t) => this.sparseTensor(t, content!));
      else if (field === GRAPH.input || field === GRAPH.output) w.message(field, (v) => this.#value(v, content!));
      else if (field !== GRAPH.valueInfo && field !== GRAPH.annotation) w.raw(whole);
      return true;
    });
  }

  #value(w: ProtoWriter, bytes: Uint8Array): void {
    forEachField(bytes, (field, content, _, whole) => {
      if (field === 1) w.text(field, this.#rename(plainText(content!)));
      else w.raw(whole);
      return true;
    });
  }

  /** An empty name denotes an omitted input. */
  #rename(name: string): string {
    return name === '' ? '' : (this.#names[name] ?? `${this.#prefix}/${name}`);
  }
}

/** The `ints` of an attribute, packed or unpacked. */
function intsOf(attribute: Uint8Array): bigint[] {
  const ints: bigint[] = [];
  forEachField(attribute, (field, content, _, whole) => {
    // Unpacked, each has a one-byte key in front.
    if (field === ATTRIBUTE.ints) ints.push(...integers(content ?? whole.subarray(1)));
    return true;
  });
  return ints;
}

/** Decodes consecutive varints as 64-bit two's complement. */
function integers(bytes: Uint8Array): bigint[] {
  const found: bigint[] = [];
  let [value, shift] = [0n, 0n];
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte >= 128) continue;
    found.push(BigInt.asIntN(64, value));
    [value, shift] = [0n, 0n];
  }
  return found;
}

function writeInt(w: ProtoWriter, name: string, value: number): void {
  w.text(ATTRIBUTE.name, name);
  w.int(ATTRIBUTE.int, value);
  w.int(ATTRIBUTE.type, INT);
}
