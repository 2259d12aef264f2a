/**
 * Damaged streams without end for a parser of packets: whole packets of which some are flipped, cut, doubled, joined, lengthened or filled
 * with what the format itself is made of. What was sent is known, so that a packet which nobody sent is seen when it is accepted.
 */
import { Rng } from '../../src/model/index.ts';

/** Bytes of a packet that count: what is sent, and what a parser hands out, in the same terms. `kind`: id, error bits, whatever names it. */
export type Seen = (kind: number, bytes: Uint8Array, at: number, count: number) => void;

/** A parser with what it is to find. */
export interface FuzzedParser {
  /** Takes `bytes` from `from` to `to` (excluded). */
  push(bytes: Uint8Array, from: number, to: number): void;
  /** A stream begins: whatever is held is forgotten. */
  begin(rng: Rng): void;
  /** Writes one whole packet into `out` from `at` on, tells `sent` what there is in it, and returns its end. At most 250 bytes. */
  write(rng: Rng, out: Uint8Array, at: number, sent: Seen): number;
  /** Packets whose checksum was found to be wrong, so far. */
  readonly checksumErrors: number;
}

export interface FuzzOptions {
  readonly seed: number;
  /** Damaged bytes, at least. */
  readonly bytes: number;
  /** What the format is made of: headers, stuffing. */
  readonly marks: readonly (readonly number[])[];
  /** Where the length of a packet stands in it. */
  readonly lengthAt: number;
  /** Whole packets after damage of which the last has to be found at once, where that is promised. */
  readonly resyncPackets?: number | undefined;
}

export interface FuzzResult {
  readonly bytes: number;
  readonly packetsSent: number;
  readonly packetsAccepted: number;
  /** Accepted, and never sent. */
  readonly wrong: number;
  /** Damaged packets that came as far as their checksum: each of `wrong` is one that passed it. */
  readonly judged: number;
  /** Streams after which the parser did not find its way back in time. */
  readonly lost: number;
  /** Growth of what the process holds, MiB. */
  readonly grownMiB: number;
}

const PACKETS = 12;
const ROOM = 1 << 14;
const LONGEST_GARBAGE = 40;

/** Runs the parser that `open` makes, which tells each packet that it accepts. What it throws is the caller's. */
export function fuzzParser(open: (accepted: Seen) => FuzzedParser, options: FuzzOptions): FuzzResult {
  return new Fuzzer(open, options).run();
}

/** Most wrong packets that `judged` may let through by chance, where a damaged one passes with probability 2^-`bits`: five sigma. */
export function collisionsAtMost(judged: number, bits: number): number {
  const mean = judged / 2 ** bits;
  return mean + 5 * Math.sqrt(mean) + 1;
}

class Fuzzer {
  readonly #rng: Rng;
  readonly #options: FuzzOptions;
  readonly #parser: FuzzedParser;
  readonly #stream: Uint8Array = new Uint8Array(ROOM);
  readonly #whole: Uint8Array = new Uint8Array(ROOM);
  readonly #ends: number[] = [];
  readonly #sent: Set<number> = new Set();
  #last = 0;
  #heardLast = false;
  #packetsSent = 0;
  #accepted = 0;
  #wrong = 0;
  #lost = 0;

  constructor(open: (accepted: Seen) => FuzzedParser, options: FuzzOptions) {
    this.#rng = new Rng(options.seed);
    this.#options = options;
    this.#parser = open((kind, bytes, at, count) => {
      this.#accepted++;
      const print = fingerprint(kind, bytes, at, count);
      if (!this.#sent.has(print)) this.#wrong++;
      if (print === this.#last) this.#heardLast = true;
    });
  }

  run(): FuzzResult {
    const { bytes: wanted, resyncPackets } = this.#options;
    const before = heldBytes();
    let bytes = 0;
    while (bytes < wanted) {
      // What the parser still holds belongs to the stream before.
      this.#parser.begin(this.#rng);
      this.#sent.clear();
      const end = this.#damagedStream();
      this.#push(this.#stream, 0, end);
      bytes += end;
      if (resyncPackets !== undefined) bytes += this.#comeBack(resyncPackets);
    }
    return {
      bytes,
      packetsSent: this.#packetsSent,
      packetsAccepted: this.#accepted,
      wrong: this.#wrong,
      judged: this.#parser.checksumErrors + this.#wrong,
      lost: this.#lost,
      grownMiB: (heldBytes() - before) / 2 ** 20,
    };
  }

  readonly #note: Seen = (kind, bytes, at, count) => {
    this.#last = fingerprint(kind, bytes, at, count);
    this.#sent.add(this.#last);
  };

  /** Whole packets, of which the last has to be heard. Returns how many bytes. */
  #comeBack(packets: number): number {
    let end = 0;
    for (let i = 0; i < packets; i++) end = this.#parser.write(this.#rng, this.#whole, end, this.#note);
    this.#packetsSent += packets;
    this.#heardLast = false;
    this.#push(this.#whole, 0, end);
    if (!this.#heardLast) this.#lost++;
    return end;
  }

  /** In pieces of any length, as a port hands them over. */
  #push(bytes: Uint8Array, from: number, end: number): void {
    for (let at = from; at < end; ) {
      const to = Math.min(end, at + 1 + this.#below(this.#below(4) === 0 ? 4 : 120));
      this.#parser.push(bytes, at, to);
      at = to;
    }
  }

  /** Packets with damage in and between them, in `#stream`. Returns its end. */
  #damagedStream(): number {
    const whole = this.#whole;
    this.#ends.length = 0;
    let end = 0;
    for (let i = 0; i < PACKETS; i++) {
      end = this.#parser.write(this.#rng, whole, end, this.#note);
      this.#ends.push(end);
    }
    this.#packetsSent += PACKETS;
    let to = 0;
    for (let i = 0; i < PACKETS; i++) {
      const from = i === 0 ? 0 : this.#ends[i - 1]!;
      const copies = this.#below(10) === 0 ? 2 : 1;
      for (let k = 0; k < copies; k++) to = this.#damaged(from, this.#ends[i]!, to);
    }
    return to;
  }

  /** Copies the packet from `from` to `end` of `#whole` to `at`, damaged or not. Returns its end. */
  #damaged(from: number, end: number, at: number): number {
    const length = end - from;
    const stream = this.#stream;
    const copy = (first: number, count: number, to: number): number => {
      stream.set(this.#whole.subarray(first, first + count), to);
      return to + count;
    };
    switch (this.#below(16)) {
      case 0: {
        // Bits are turned, close together or not.
        const to = copy(from, length, at);
        for (let n = 1 + this.#below(4); n > 0; n--) stream[at + this.#below(length)]! ^= 1 << this.#below(8);
        return to;
      }
      case 1: {
        const to = copy(from, length, at);
        for (let n = 1 + this.#below(3); n > 0; n--) stream[at + this.#below(length)] = this.#below(256);
        return to;
      }
      case 2: {
        // Bytes are missing.
        const hole = this.#below(length);
        const size = Math.min(length - hole, 1 + this.#below(4));
        return copy(from + hole + size, length - hole - size, copy(from, hole, at));
      }
      case 3: {
        const place = this.#below(length + 1);
        return copy(from + place, length - place, this.#garbage(copy(from, place, at)));
      }
      case 4: {
        const place = this.#below(length + 1);
        return copy(from + place, length - place, this.#mark(copy(from, place, at)));
      }
      case 5:
        // Cut off; what follows begins at once.
        return copy(from, this.#below(length), at);
      case 6: {
        const head = this.#below(length);
        return copy(from + head, length - head, at);
      }
      case 7: {
        // The head of this packet and the tail of another.
        const other = this.#below(PACKETS);
        const first = other === 0 ? 0 : this.#ends[other - 1]!;
        const tail = this.#below(this.#ends[other]! - first);
        return copy(first + tail, this.#ends[other]! - first - tail, copy(from, this.#below(length), at));
      }
      case 8: {
        // A length that lies, by a little or by much.
        const to = copy(from, length, at);
        const place = at + Math.min(length - 1, this.#options.lengthAt + this.#below(2));
        stream[place] = this.#below(2) === 0 ? stream[place]! + this.#below(9) - 4 : this.#below(256);
        return to;
      }
      case 9:
        return copy(from, length, this.#garbage(at));
      default:
        return copy(from, length, at);
    }
  }

  #garbage(at: number): number {
    const count = 1 + this.#below(LONGEST_GARBAGE);
    for (let i = 0; i < count; i++) this.#stream[at + i] = this.#below(256);
    return this.#below(3) === 0 ? this.#mark(at + count) : at + count;
  }

  #mark(at: number): number {
    const { marks } = this.#options;
    let to = at;
    for (let n = 1 + this.#below(3); n > 0; n--) {
      const mark = marks[this.#below(marks.length)]!;
      this.#stream.set(mark, to);
      to += mark.length;
    }
    return to;
  }

  #below(n: number): number {
    return Math.floor((this.#rng.nextU32() * n) / 2 ** 32);
  }
}

/** 53 bits of two FNV-1a sums: two packets with one of them are not met with. */
function fingerprint(kind: number, bytes: Uint8Array, at: number, count: number): number {
  let a = Math.imul(0x811c9dc5 ^ kind, 0x01000193);
  let b = Math.imul(0x9747b28c ^ count, 0x01000193) ^ kind;
  for (let i = 0; i < count; i++) {
    a = Math.imul(a ^ bytes[at + i]!, 0x01000193);
    b = Math.imul(b ^ bytes[at + i]!, 0x5bd1e995) + 0x6d2b79f5;
  }
  return (a >>> 0) * 2 ** 21 + ((b >>> 0) & 0x1fffff);
}

function heldBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
