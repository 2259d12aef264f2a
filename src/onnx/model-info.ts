/** Metadata of an ONNX file: inputs, outputs, operations, and whether its weights are inside. */
import { forEachField } from '../rows/index.ts';
import {
  ATTRIBUTE,
  ENTRY,
  GRAPH,
  MODEL,
  type ModelValue,
  NODE,
  OPSET,
  plainText,
  readValue,
  TENSOR,
} from './model-value.ts';

/** An operation; the domain is empty for ONNX's own. */
export interface ModelOp {
  readonly domain: string;
  readonly op: string;
}

export interface ModelInfo {
  /** Program that wrote the file, `pytorch 2.8.0`; empty if not stated. */
  readonly producer: string;
  /** Version by domain. */
  readonly opsets: ReadonlyMap<string, number>;
  /** Inputs that a caller has to feed: without the constants that older files list as inputs too. */
  readonly inputs: readonly ModelValue[];
  readonly outputs: readonly ModelValue[];
  /** Each operation once, including those in branches and loops. */
  readonly ops: readonly ModelOp[];
  /** Domains whose operations are defined inside the file, as functions. */
  readonly ownDomains: ReadonlySet<string>;
  /** Name of a constant stored in another file. */
  readonly external: string | undefined;
  /** Custom metadata of the file, text by key. */
  readonly metadata: ReadonlyMap<string, string>;
}

const FUNCTION = { node: 7, domain: 10 } as const;

/** Reads `model`; `undefined` if the bytes are no complete ONNX model. Never throws, whatever the bytes. Keeps no reference to them. */
export function readModelInfo(model: Uint8Array): ModelInfo | undefined {
  const found = new Findings();
  let [producer, producerVersion] = ['', ''];
  let graphs = 0;
  const isWhole = forEachField(model, (field, content) => {
    if (content === undefined) return true;
    if (field === MODEL.producer) producer = plainText(content);
    if (field === MODEL.producerVersion) producerVersion = plainText(content);
    if (field === MODEL.opset) return found.readOpset(content);
    if (field === MODEL.metadata) return found.readMetadata(content);
    if (field === MODEL.function) return found.readFunction(content);
    if (field !== MODEL.graph) return true;
    graphs++;
    return found.readGraph(content, true);
  });
  if (!isWhole || graphs !== 1) return undefined;
  return found.finish(`${producer} ${producerVersion}`.trim());
}

/** Collects the fields of `ModelInfo` over the whole model. Its readers return false on truncated bytes. */
class Findings {
  readonly #opsets = new Map<string, number>();
  readonly #inputs: ModelValue[] = [];
  readonly #outputs: ModelValue[] = [];
  readonly #constants = new Set<string>();
  readonly #ops = new Map<string, ModelOp>();
  readonly #ownDomains = new Set<string>();
  readonly #metadata = new Map<string, string>();
  #external: string | undefined;

  finish(producer: string): ModelInfo {
    return {
      producer,
      opsets: this.#opsets,
      inputs: this.#inputs.filter(({ name }) => !this.#constants.has(name)),
      outputs: this.#outputs,
      ops: [...this.#ops.values()],
      ownDomains: this.#ownDomains,
      external: this.#external,
      metadata: this.#metadata,
    };
  }

  readOpset(bytes: Uint8Array): boolean {
    let [domain, version] = ['', 0];
    const isWhole = forEachField(bytes, (field, content, value) => {
      if (field === OPSET.domain && content !== undefined) domain = plainText(content);
      if (field === OPSET.version) version = value;
      return true;
    });
    this.#opsets.set(plainDomain(domain), version);
    return isWhole;
  }

  readMetadata(bytes: Uint8Array): boolean {
    let [key, text] = ['', ''];
    const isWhole = forEachField(bytes, (field, content) => {
      if (field === ENTRY.key && content !== undefined) key = plainText(content);
      if (field === ENTRY.value && content !== undefined) text = plainText(content);
      return true;
    });
    this.#metadata.set(key, text);
    return isWhole;
  }

  readFunction(bytes: Uint8Array): boolean {
    return forEachField(bytes, (field, content) => {
      if (content === undefined) return true;
      if (field === FUNCTION.domain) this.#ownDomains.add(plainText(content));
      return field === FUNCTION.node ? this.#readNode(content) : true;
    });
  }

  /** Reads a graph; inputs, outputs and constants are recorded for the outermost one only. */
  readGraph(bytes: Uint8Array, isOuter: boolean): boolean {
    return forEachField(bytes, (field, content) => {
      if (content === undefined) return true;
      if (field === GRAPH.node) return this.#readNode(content);
      if (field === GRAPH.initializer) return this.#readTensor(content, isOuter);
      if (!isOuter || (field !== GRAPH.input && field !== GRAPH.output)) return true;
      const value = readValue(content);
      if (value !== undefined) (field === GRAPH.input ? this.#inputs : this.#outputs).push(value);
      return value !== undefined;
    });
  }

  #readNode(bytes: Uint8Array): boolean {
    let [op, domain] = ['', ''];
    const isWhole = forEachField(bytes, (field, content) => {
      if (content === undefined) return true;
      if (field === NODE.op) op = plainText(content);
      if (field === NODE.domain) domain = plainDomain(plainText(content));
      return field === NODE.attribute ? this.#readAttribute(content) : true;
    });
    this.#ops.set(`${domain}:${op}`, { domain, op });
    return isWhole;
  }

  #readAttribute(bytes: Uint8Array): boolean {
    return forEachField(bytes, (field, content) => {
      if (content === undefined) return true;
      if (field === ATTRIBUTE.tensor) return this.#readTensor(content, false);
      return field === ATTRIBUTE.graph || field === ATTRIBUTE.graphs ? this.readGraph(content, false) : true;
    });
  }

  #readTensor(bytes: Uint8Array, isOuter: boolean): boolean {
    let [name, isExternal] = ['', false];
    const isWhole = forEachField(bytes, (field, content, value) => {
      if (field === TENSOR.name && content !== undefined) name = plainText(content);
      if (field === TENSOR.external || (field === TENSOR.location && value === 1)) isExternal = true;
      return true;
    });
    if (isOuter) this.#constants.add(name);
    if (isExternal) this.#external ??= name;
    return isWhole;
  }
}

/** ONNX's own domain has two names. */
function plainDomain(domain: string): string {
  return domain === 'ai.onnx' ? '' : domain;
}
